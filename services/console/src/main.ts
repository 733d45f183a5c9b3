import { setFlagsFromString } from 'node:v8';
import { createLogger, lifecycle, settingsAtStart, startMetricsServer } from '@tollgate/runtime';
import { consoleEnv } from './config.ts';
import { openConsole } from './open.ts';

// By itself V8 lets dead rows of long answers pile up to several times of what lives before it looks for them: see bench/RESULTS.md, "A large site".
setFlagsFromString('--heap-growing-percent=50');

const config = await settingsAtStart('console', consoleEnv, process.env);
const logger = createLogger({ service: 'console', level: config.LOG_LEVEL });
const life = lifecycle({ logger });

await life.run(async () => {
  const metricsServer = await startMetricsServer({ port: config.METRICS_PORT, host: config.METRICS_HOST });
  life.onStop('metrics', metricsServer.stop);
  const { port } = await openConsole(config, { logger, onStop: life.onStop });
  logger.info({ port, host: config.HOST }, 'the console listens');
});
