import { createLogger, lifecycle, settingsAtStart } from '@tollgate/runtime';
import { relayEnv } from './config.ts';
import { openRelay } from './open.ts';

const settings = await settingsAtStart('relay', relayEnv, process.env);
const logger = createLogger({ service: 'relay', level: settings.LOG_LEVEL });
const stopTimeoutMs = settings.RELAY_STOP_DELAY_MS + settings.RELAY_STOP_GRACE_MS + 15_000;
const life = lifecycle({ logger, stopTimeoutMs });

await life.run(async () => {
  const port = await openRelay(settings, { logger, onStop: life.onStop });
  logger.info({ port }, 'listening');
});
