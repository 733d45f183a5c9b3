import { createServer } from 'node:http';
import { openBus, topics } from '@tollgate/bus';
import { connectDatabase, disconnectDatabase, OptionModel, pingDatabase } from '@tollgate/db';
import { answerHealth, createLogger, lifecycle, listen, loadConfig, startMetricsServer } from '@tollgate/runtime';
import { openWallet, refuseEvictingRedis } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { billingEnv } from './config.ts';
import { billingMetrics } from './metrics.ts';
import { finishLeftovers, reconcile } from './reconcile/reconcile.ts';
import { repeat } from './repeat.ts';
import { settlementGroup, startSettlement } from './settlement/consumer.ts';
import { sweep } from './sweep/sweep.ts';

const optionsReadEveryMs = 5_000;
const leftoversEveryMs = 60_000;
const stuckAfterMs = 120_000;
const behindFrom = 5_000;

const config = loadConfig(billingEnv, process.env);
const logger = createLogger({ service: 'billing', level: config.LOG_LEVEL });
const life = lifecycle({ logger });

await life.run(async () => {
  await connectDatabase(config.MONGODB_URI);
  life.onStop('database', disconnectDatabase);

  const redis = new Redis(config.REDIS_URL, { enableAutoPipelining: true, maxRetriesPerRequest: 3, socketTimeout: 5_000 });
  redis.on('error', (error) => logger.warn({ err: error }, 'Redis does not answer'));
  life.onStop('redis', async () => void (await redis.quit()));
  await refuseEvictingRedis(redis);
  const wallet = openWallet({ redis });

  const bus = await openBus(config.BUS_URL, { logger, clientId: 'billing' });
  life.onStop('bus', () => bus.close());

  let logsShown = true;
  const options = repeat(
    'read options',
    optionsReadEveryMs,
    async () => {
      const option = await OptionModel.findById('LogConsumeEnabled').lean();
      logsShown = option?.value !== 'false';
    },
    logger,
  );
  life.onStop('options', options.stop);

  const lag = () => bus.lag(topics.usageRecorded, settlementGroup);
  const metrics = billingMetrics({ holds: wallet.counts, lag, dead: () => consumption.progress().dead });
  const consumption = await startSettlement({ bus, wallet, logger, metrics, logsShown: () => logsShown, maxBatch: config.BILLING_BATCH });
  life.onStop('settlement', consumption.stop);

  const sweeping = repeat(
    'sweep',
    config.SWEEP_SECONDS * 1_000,
    async () => {
      metrics.swept(await sweep({ wallet, bus, logger, isBehind: (await lag()) > behindFrom }));
    },
    logger,
  );
  life.onStop('sweep', sweeping.stop);

  let reconciledOn = '';
  const reconciling = repeat(
    'reconcile',
    leftoversEveryMs,
    async () => {
      const now = new Date();
      const today = now.toISOString().slice(0, 10);
      const isDue = reconciledOn === '' || (now.getUTCHours() === config.RECONCILE_HOUR_UTC && reconciledOn !== today);
      if (!isDue) return finishLeftovers({ wallet, logger });
      await reconcile({ wallet, logger, metrics });
      reconciledOn = today;
    },
    logger,
  );
  life.onStop('reconcile', reconciling.stop);

  const metricsServer = await startMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST });
  life.onStop('metrics', metricsServer.stop);

  const health = createServer((request, response) => {
    const checks = {
      live() {
        const { lastProgressMs, lag: waiting } = consumption.progress();
        if (waiting > 0 && Date.now() - lastProgressMs > stuckAfterMs) throw new Error(`${waiting} events wait and none is charged`);
      },
      async ready() {
        await Promise.all([pingDatabase(), redis.ping(), bus.ready()]);
      },
    };
    if (!answerHealth(request, response, checks)) response.writeHead(404).end();
  });
  await listen(health, { door: config.BILLING_PORT, host: config.HOST });
  life.onStop('health', () => new Promise<void>((resolve) => health.close(() => resolve())));
  logger.info({ health: health.address() }, 'billing is ready');
});
