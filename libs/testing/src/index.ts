export { bareEnvironment } from './bare-environment.ts';
export { booksDiffer } from './books-differ.ts';
export { freshId, usageEvent } from './builders.ts';
export { type BundledMongo, startBundledMongo } from './bundled-mongo.ts';
export { startCaddy } from './caddy.ts';
export { clocksOff, faultClocks } from './clocks-off.ts';
export { EngineUnavailable, orSkip, skipBecause } from './engine-unavailable.ts';
export { closeEngines, type Engines, engines, sharedKafka, sharedRedisUrl } from './engines.ts';
export { eventually } from './eventually.ts';
export { type FakeTask, type FakeTaskProvider, startFakeTaskProvider, type TaskQuestion, type TaskScript } from './fake-task-provider.ts';
export { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
export { gaugeAt } from './gauge-at.ts';
export { goModule, goProgram, goPrograms } from './go-programs.ts';
export { type HostileUrls, hostileUrls, namedHost, startTrap, withHostileNames } from './hostile-urls.ts';
export { type Installation, type RootSession, rootSession, startInstallation } from './installation.ts';
export type { KafkaServer, OwnKafkaServer } from './kafka.ts';
export { kafkaRuntime } from './kafka-jars.ts';
export { makeReportedDue } from './make-due.ts';
export { type MeasuredService, startMeasuredService } from './measured-service.ts';
export { type MoneyStores, withMoneyStores } from './money-stores.ts';
export { type Nginx, startNginx } from './nginx.ts';
export { freePort, freePortsInARow } from './ports.ts';
export { findProgram } from './programs.ts';
export { sendRaw } from './raw-http.ts';
export { type RedisServer, startRedis } from './redis.ts';
export { startSentinel } from './redis-sentinel.ts';
export type { Restartable } from './restartable.ts';
export { everyRound, faultRounds } from './rounds.ts';
export { type ServiceName, type ServiceProcess, type ServiceStart, startService } from './service-process.ts';
export { startTlsFront, type TlsFront } from './tls-front.ts';

/** Starts a Kafka of the test's own, which it may kill. Loads kafkajs only when called. */
export async function startKafka(doors?: import('./kafka.ts').KafkaDoors): Promise<import('./kafka.ts').OwnKafkaServer> {
  return (await import('./kafka.ts')).startKafka(doors);
}
export type { FakeScript } from './fake-answers.ts';
export { type FakeProvider, type FakeProviderOptions, type FakeTotals, type SeenCall, startFakeProvider } from './fake-provider.ts';
export { spoiled } from './spoiled.ts';
export { type WireExpectation, type WireSample, wireBytes, wireSample, wireSamples } from './wire-samples.ts';
