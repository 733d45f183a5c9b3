import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { type Consumption, deadLettersState, openBus, presenceOf, tendDeadLetters, topics } from '@tollgate/bus';
import { connectDatabase, disconnectDatabase, pingDatabase } from '@tollgate/db';
import { openOptions, watchOptions } from '@tollgate/options';
import {
  answerHealth,
  busAccess,
  closeServer,
  type HealthChecks,
  type ListenAddress,
  type Logger,
  listen,
  listenAddressOf,
  mongoAccess,
  notReady,
  type OnStop,
  openWhenReached,
  redisAccess,
  repeat,
  startMetricsServer,
} from '@tollgate/runtime';
import { connectRedis, openWallet, refuseUnfitRedis } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { startCallRecords } from './call-records/consumer.ts';
import type { BillingEnv } from './config.ts';
import { billingMetrics } from './metrics.ts';
import { finishLeftovers, reconcile } from './reconcile/reconcile.ts';
import { refundGroup, startRefunds } from './refunds/consumer.ts';
import { publishFailed } from './refunds/publish-failed.ts';
import { settlementGroup, startSettlement } from './settlement/consumer.ts';
import { balanceNotes } from './settlement/note-balances.ts';
import { sweep } from './sweep/sweep.ts';

const optionsReadEveryMs = 5_000;
const leftoversEveryMs = 60_000;
const deadLettersEveryMs = 5_000;
const presenceEveryMs = 5_000;
const stuckAfterMs = 120_000;
const behindFrom = 5_000;
const healthGraceMs = 1_000;

/**
 * Opens the health endpoints at once, which name the datastore it waits for. Settles, sweeps and reconciles once MongoDB, Redis and the bus
 * answer. Everything opened is registered to be closed.
 */
export async function openBilling(config: BillingEnv, { logger, onStop }: { logger: Logger; onStop: OnStop }): Promise<ListenAddress> {
  const metricsServer = await startMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST });
  onStop('metrics', metricsServer.stop);
  let missing: string | undefined;
  let checks: HealthChecks = { ready: () => notReady(missing) };
  const health = createServer((request, response) => {
    if (!answerHealth(request, response, checks)) response.writeHead(404).end();
  });
  await listen(health, { address: config.BILLING_PORT, host: config.HOST });
  onStop('health', () => closeServer(health, healthGraceMs));
  checks = await openWhenReached((onStopped) => connectBilling(config, { logger, onStop: onStopped }), {
    logger,
    onStop,
    onAway(datastore) {
      missing = datastore;
    },
  });
  return listenAddressOf(health);
}

async function connectBilling(config: BillingEnv, { logger, onStop }: { logger: Logger; onStop: OnStop }): Promise<HealthChecks> {
  onStop('database', disconnectDatabase);
  await connectDatabase(config.MONGODB_URI, mongoAccess(config));

  const redis = new Redis(config.REDIS_URL, {
    ...redisAccess(config),
    lazyConnect: true,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 3,
    socketTimeout: 5_000,
    connectTimeout: 3_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
  redis.on('error', (error) => logger.warn({ err: error }, 'Redis does not answer'));
  onStop('redis', async () => void (redis.status === 'ready' ? await redis.quit() : redis.disconnect()));
  await connectRedis(redis);
  await refuseUnfitRedis(redis);
  const wallet = openWallet({ redis });
  await wallet.now(); // sets the clock before anything reads it

  const bus = await openBus(config.BUS_URL, { logger, clientId: 'billing', instance: instanceOf(config), ...busAccess(config) });
  onStop('bus', () => bus.close());

  const options = await openOptions({ keys: ['LogConsumeEnabled'] });
  const optionWatch = watchOptions(options, { logger, everyMs: optionsReadEveryMs });
  onStop('options', optionWatch.stop);

  const lag = () => bus.lag(topics.usageRecorded, settlementGroup);
  const metrics = billingMetrics({
    holds: wallet.counts,
    lag,
    refundLag: () => bus.lag(topics.taskFailed, refundGroup),
    dead: () => consumption.progress().dead + refunds.progress().dead,
    async deadLetters() {
      const { waiting = {} } = (await deadLettersState(redis)) ?? {};
      return Object.values(waiting).reduce((sum, count) => sum + count, 0);
    },
  });
  const consumption = await startSettlement({
    bus,
    wallet,
    logger,
    metrics,
    logsShown: () => options.values.LogConsumeEnabled,
    noteBalances: balanceNotes(redis, logger),
    maxBatch: config.BILLING_BATCH,
  });
  onStop('settlement', consumption.stop);

  const refunds = await startRefunds({ bus, wallet, logger, metrics, maxBatch: config.BILLING_BATCH });
  onStop('refunds', refunds.stop);

  const callRecords = await startCallRecords({ bus });
  onStop('call records', callRecords.stop);

  const publishingFailed = repeat('failed tasks', {
    everyMs: config.SWEEP_SECONDS * 1_000,
    work: () => publishFailed({ bus, wallet }),
    logger,
  });
  onStop('failed tasks', publishingFailed.stop);

  const sweeping = repeat('sweep', {
    everyMs: config.SWEEP_SECONDS * 1_000,
    work: async () => {
      metrics.swept(await sweep({ wallet, bus, logger, isBehind: (await lag()) > behindFrom }));
    },
    logger,
  });
  onStop('sweep', sweeping.stop);

  let reconciledOn = '';
  const reconciling = repeat('reconcile', {
    everyMs: leftoversEveryMs,
    work: async () => {
      const now = new Date(await wallet.now());
      const today = now.toISOString().slice(0, 10);
      const isDue = reconciledOn === '' || (now.getUTCHours() === config.RECONCILE_HOUR_UTC && reconciledOn !== today);
      if (!isDue) return finishLeftovers({ wallet, logger });
      await reconcile({ wallet, logger, metrics, isBehind: (await lag()) > behindFrom });
      reconciledOn = today;
    },
    logger,
  });
  onStop('reconcile', reconciling.stop);

  const deadLetters = repeat('dead letters', {
    everyMs: deadLettersEveryMs,
    work: () => tendDeadLetters(bus, redis, { topics: Object.values(topics), now: wallet.now, logger }),
    logger,
  });
  onStop('dead letters', deadLetters.stop);

  const presence = presenceOf('billing', { redis, now: wallet.now });
  const heartbeat = repeat('presence', {
    everyMs: presenceEveryMs,
    work: async () => presence.heartbeat({ lag: await lag().catch(() => -1) }), // -1 reports that the bus is down
    logger,
  });
  onStop('presence', heartbeat.stop);

  return {
    live() {
      refuseStuck(consumption, 'events wait and none is charged');
      refuseStuck(refunds, 'failed tasks wait and none is given back');
    },
    async ready() {
      await Promise.all([pingDatabase(), redis.ping(), bus.ready()]);
    },
  };
}

/** The host and the port or socket: a process that is started again in its place has the same. */
function instanceOf({ BILLING_PORT }: BillingEnv): string {
  return createHash('sha256').update(`${hostname()} ${BILLING_PORT}`).digest('hex').slice(0, 12);
}

/** Throws when events wait for a consumer that has made no progress for too long. */
function refuseStuck(consumer: Consumption, what: string): void {
  const { lastProgressMs, lag } = consumer.progress();
  if (lag > 0 && Date.now() - lastProgressMs > stuckAfterMs) throw new Error(`${lag} ${what}`);
}
