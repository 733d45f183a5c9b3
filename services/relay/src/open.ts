import { setTimeout as delay } from 'node:timers/promises';
import { batchedPublisher, openLateBus, presenceOf, topics } from '@tollgate/bus';
import { optionKeys, optionRegistry } from '@tollgate/contracts';
import { configureSealing, connectDatabase, disconnectDatabase, pingDatabase, refuseForeignMasterKey } from '@tollgate/db';
import { openOptions, watchOptions } from '@tollgate/options';
import {
  busAccess,
  createCallLog,
  imageLinks,
  type ListenAddress,
  type Logger,
  mongoAccess,
  type OnStop,
  openEgress,
  openWhenReached,
  type ProxyWatch,
  playgroundPasses,
  repeat,
  startMetricsServer,
  startTracing,
  watchDatastores,
  watchProxies,
} from '@tollgate/runtime';
import { connectRedis, openReplication, openWallet, type Replication, refuseUnfitRedis } from '@tollgate/wallet';
import type { Redis } from 'ioredis';
import { openGate } from './admission/admission-control.ts';
import { fairnessKey } from './auth/caller-key.ts';
import { openCallers } from './auth/callers.ts';
import { openRuns } from './auth/runs.ts';
import type { RelayEnv } from './config.ts';
import type { Call } from './context/call.ts';
import { guardedWallet } from './context/guarded-wallet.ts';
import { hashScripts, writeInBatches } from './context/hashed-scripts.ts';
import { closeDoor, openCalls } from './context/open-calls.ts';
import { openRedis, renewLine } from './context/open-redis.ts';
import type { Relay } from './context/relay.ts';
import { AnswerCounts, exposeGauges, relayMetrics } from './context/relay-metrics.ts';
import { settingsFrom } from './context/settings.ts';
import { type ConfigReaders, watchConfig } from './context/watch-config.ts';
import { type Front, openFront } from './http/console-proxy.ts';
import { openPorts } from './http/ports.ts';
import { relayHandlers } from './http/server.ts';
import { renewHolds } from './quota/hold.ts';
import { shareTurns } from './quota/user-queue.ts';
import { callRecords } from './records/call-records.ts';
import { keyCounts } from './records/key-counts.ts';
import { checkSpoolFolder, spools } from './request/spool.ts';
import { affinity } from './routing/affinity.ts';
import { type ChannelReader, channelReader, channelReports } from './routing/channel-reader.ts';
import { shareBreakers } from './routing/shared-breakers.ts';
import { StoredObjects } from './stored/stored-objects.ts';
import { openCallbacks } from './tasks/callbacks.ts';
import { accessTokens } from './upstream/access-tokens.ts';
import { CountMemory } from './upstream/count-memory.ts';
import { dial, webSockets } from './upstream/web-socket.ts';

/** Bodies that the waiting calls of one user may keep in memory. */
const waitingBytesPerUser = 64 << 20;

/**
 * Opens the ports at once (its own, or the path of its socket, and the public one) and answers 503 there until MongoDB and Redis are reached;
 * the bus may be away. At the end it takes no more calls, lets the open ones end, sends what is queued, and closes everything.
 */
export async function openRelay(settings: RelayEnv, { logger, onStop }: { logger: Logger; onStop: OnStop }): Promise<ListenAddress> {
  await checkSpoolFolder(settings.RELAY_SPOOL_DIR);
  configureSealing(settings.MASTER_KEY, settings.MASTER_KEYS_ALSO);
  const metricsServer = await startMetricsServer({ port: settings.METRICS_PORT, host: settings.METRICS_HOST });
  onStop('metrics', () => metricsServer.stop());
  const front = settings.CONSOLE_URL && openFront(settings.CONSOLE_URL, { trustedProxies: settings.TRUSTED_PROXIES, logger });
  onStop('front', () => front?.close());
  const ports = await openPorts(settings, front);
  const proxies = watchProxies((peer) => settings.TRUSTED_PROXIES.has(peer ?? ''), logger);
  for (const server of ports.servers) server.on('request', proxies.saw);
  onStop('ports', () => {
    for (const server of ports.servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  const { relay, redis } = await openWhenReached((onStopped) => connectRelay(settings, { logger, onStop: onStopped, front, proxies }), {
    logger,
    onStop,
    onAway: ports.waitFor,
  });
  let isStopping = false;
  const ready = async () => {
    if (isStopping) throw new Error('stopping');
    await Promise.all([redis.ping(), pingDatabase()]);
    if (relay.datastores.away.size > 0) throw new Error(`waiting for ${[...relay.datastores.away].join(' and ')}`); // calls are refused until the next probe
  };
  ports.serve(relayHandlers(relay, { ready }));
  onStop('door', async () => {
    isStopping = true;
    await delay(settings.RELAY_STOP_DELAY_MS);
    ports.leave();
    await closeDoor(ports.servers, { calls: relay.openCalls, passing: () => front?.passing ?? 0, graceMs: settings.RELAY_STOP_GRACE_MS });
  });
  return ports.address;
}

interface Connecting {
  logger: Logger;
  onStop: OnStop;
  front: Front | undefined;
  proxies: ProxyWatch;
}

/** Connects to the datastores and reads what calls need. Rejects with what `datastoreAway` knows when one of MongoDB and Redis is away. */
async function connectRelay(settings: RelayEnv, { logger, onStop, front, proxies }: Connecting): Promise<{ relay: Relay; redis: Redis }> {
  onStop('database', disconnectDatabase);
  await connectDatabase(settings.MONGODB_URI, { ...mongoAccess(settings), timeoutMs: databaseTimeoutMs });
  await refuseForeignMasterKey();
  const redis = openRedis(settings, { logger, onStop });
  const turn = writeInBatches(redis);
  hashScripts(redis);
  const subscriber = openRedis(settings, { logger, onStop });
  await Promise.all([connectRedis(redis), connectRedis(subscriber)]);
  await refuseUnfitRedis(redis);
  const redisWallet = openWallet({ redis, turn });
  await redisWallet.now(); // calls are dated by Redis's clock, the first one too
  const answers = new AnswerCounts(redisWallet);
  const writing = repeat('counts of answers', { everyMs: answersEveryMs, work: () => answers.write(), logger });
  onStop('counts of answers', async () => {
    await writing.stop();
    await answers.write();
  });
  const bus = await openLateBus(settings.BUS_URL, { logger, clientId: 'relay', ...busAccess(settings), onFatal: throwUncaught });
  onStop('bus', () => bus.close());
  const publisher = batchedPublisher(bus, topics.usageRecorded, { logger, maxQueuedEvents: settings.RELAY_MAX_QUEUED_EVENTS });
  onStop('publisher', () => publisher.close());
  const records = callRecords({ bus, logger, now: () => redisWallet.time() });
  onStop('call records', records.close);
  const counts = keyCounts({ redis, logger, now: () => redisWallet.time() });
  onStop('counts of keys', counts.close);
  const egressByOrigin = openEgress(settings, { connectTimeoutMs: settings.UPSTREAM_CONNECT_MS });
  onStop('egress', () => egressByOrigin.destroy());
  const egress = egressByOrigin.channels;

  const shared = await shareBreakers({ redis, subscriber, logger });
  onStop('breakers', () => shared.stop());
  const sharedTurns = await shareTurns({
    redis,
    subscriber,
    logger,
    patienceMs: settings.RELAY_TURN_MS,
    mostBytes: waitingBytesPerUser,
  });
  onStop('turns', () => sharedTurns.stop());
  const tracing = await startTracing({
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    share: settings.OTEL_TRACES_SAMPLER_ARG,
    service: 'relay',
    logger,
  });
  onStop('tracing', () => tracing?.stop());
  const calls = openCalls(settings);
  onStop('open calls', () => calls.close());
  const { TRUSTED_PROXIES: trustedProxies } = settings;
  const options = await openOptions({ keys: openKeys });
  const channels = await channelReader({ logger });
  const datastores = watchDatastores(
    { MongoDB: pingDatabase, Redis: () => redis.ping() },
    { logger, onAway: (datastore, isSilent) => datastore === 'Redis' && isSilent && renewLine(redis) },
  );
  onStop('datastores', datastores.stop);
  const wallet = guardedWallet(redisWallet, datastores);
  const callers = openCallers({ logger, datastores });
  const metrics = relayMetrics();
  const replication = await replicationFor(settings, { logger, onStop, onMissed: metrics.notReplicated });
  const gate = openGate({
    queueMs: settings.RELAY_QUEUE_MS,
    burstMs: settings.RELAY_BURST_MS,
    busyMs: settings.RELAY_BUSY_MS,
    fairnessKey: (call: Call) => fairnessKey(call, { callers, trustedProxies }),
    onRefused: metrics.shed,
  });
  const stored: StoredObjects = new StoredObjects({ datastores, logger, limits: () => relay.settings.options, now: () => wallet.time() });
  onStop('stored responses', () => stored.settled());
  const relay: Relay = {
    limits: settings,
    settings: await settingsFrom(options.values),
    table: await channels.read('all'),
    callers,
    runs: openRuns(datastores),
    datastores,
    breakers: shared.breakers,
    trustedProxies,
    playground: playgroundPasses(settings.MASTER_KEY, settings.MASTER_KEYS_ALSO),
    front,
    wallet,
    answers,
    sendNow: turn.sendNow,
    replication,
    turns: sharedTurns.turns,
    publisher,
    egress,
    egressByOrigin,
    webSockets: (proxy) => webSockets(egress, { connectMs: settings.UPSTREAM_CONNECT_MS, proxy }),
    dial: (address, options) => dial(egress, address, { ...options, connectMs: settings.UPSTREAM_CONNECT_MS }),
    stored,
    countMemory: new CountMemory(),
    accessTokens: accessTokens(redis, { egress, now: () => wallet.time(), logger }),
    openCalls: calls,
    gate,
    spools: spools({ directory: settings.RELAY_SPOOL_DIR, maxBytes: settings.RELAY_MAX_SPOOLED_BYTES }),
    metrics,
    records,
    keyCounts: counts,
    affinity: affinity(redis, logger),
    channelFailed: channelReports({ redis, logger }),
    images: imageLinks(settings.MASTER_KEY, settings.MASTER_KEYS_ALSO),
    callbacks: openCallbacks([settings.MASTER_KEY, ...settings.MASTER_KEYS_ALSO], { redis, logger }),
    tracing,
    logger,
    callLog: createCallLog({ service: 'relay', level: settings.LOG_LEVEL }),
  };
  onStop('renewal of holds', renewHolds(relay));
  const optionWatch = watchOptions(options, {
    logger,
    async onRead(values) {
      relay.settings = await settingsFrom(values, relay.settings);
    },
  });
  onStop('options', optionWatch.stop);
  const watch = await watchConfig({ redis, subscriber, logger, readers: readersOf(relay, channels), settings: optionWatch });
  onStop('watch', () => watch.stop());
  const presence = presenceOf('relay', { redis, now: wallet.now });
  const tell = () => presence.heartbeat({ untrustedProxy: proxies.latest() });
  onStop('presence', repeat('presence', { everyMs: presenceEveryMs, work: tell, logger }).stop);
  exposeGauges({
    openCalls: () => calls.count,
    waitingCalls: () => gate.waiting,
    answeredNotBilled: async () => (await relay.wallet.counts()).reported,
    bufferedBytes: () => calls.bufferedBytes,
    queuedEvents: () => publisher.pending,
    breakers: () => relay.breakers.states(performance.now()),
  });
  return { relay, redis };
}

const presenceEveryMs = 5_000;
const answersEveryMs = 5_000;
/** A caller waits for what is asked of MongoDB. */
const databaseTimeoutMs = 2_000;

/** A relay has no business with secrets of the console: it does not even open them, but for the key that its worker knows it by. */
const openKeys = optionKeys.filter((key) => optionRegistry[key].access !== 'secret' || key === 'WorkerValidKey');

/** The bus refuses us for good, long after the start: the process ends, so that a supervisor shows why. */
function throwUncaught(error: Error): void {
  process.nextTick(() => {
    throw new Error('the bus refuses this process', { cause: error });
  });
}

/** On a line of its own, on which nothing is asked twice: the replicas of another primary know nothing of what this one took. */
async function replicationFor(
  settings: RelayEnv,
  { onMissed, ...process }: { logger: Logger; onStop: OnStop; onMissed(): void },
): Promise<Replication | undefined> {
  const { REDIS_WAIT_REPLICAS: replicas, REDIS_WAIT_MS: waitMs } = settings;
  if (replicas === 0) return undefined;
  const asksOnce = { autoResendUnfulfilledCommands: false, enableOfflineQueue: false };
  const redis = openRedis(settings, process, { ...asksOnce, socketTimeout: waitMs + 5_000 });
  await connectRedis(redis);
  return openReplication(redis, { replicas, waitMs, onMissed });
}

function readersOf(relay: Relay, channels: ChannelReader): ConfigReaders {
  return {
    async reloadChannels(ids) {
      relay.table = await channels.read(ids);
    },
    forgetToken: (id) => relay.callers.forgetToken(id),
    forgetUser: (id) => relay.callers.forgetUser(id),
    forgetChannels: (ids) => relay.breakers.forget(ids),
    forgetCallers: () => relay.callers.forgetAll(),
    forgetRuns: () => relay.runs.forgetAll(),
  };
}
