import { createLogger, lifecycle, loadConfig } from '@tollgate/runtime';
import { relayEnv } from './config.ts';
import { startRelay } from './start-relay.ts';

const settings = loadConfig(relayEnv, process.env);
const logger = createLogger({ service: 'relay', level: settings.LOG_LEVEL });
const stopTimeoutMs = settings.RELAY_STOP_DELAY_MS + settings.RELAY_STOP_GRACE_MS + 15_000;
const life = lifecycle({ logger, stopTimeoutMs });

await life.run(async () => {
  const relay = await startRelay(settings, logger);
  life.onStop('relay', () => relay.stop());
  logger.info({ port: relay.port }, 'listening');
});
