import { createLogger, lifecycle, settingsAtStart } from '@tollgate/runtime';
import { billingEnv } from './config.ts';
import { openBilling } from './open.ts';

const config = await settingsAtStart('billing', billingEnv, process.env);
const logger = createLogger({ service: 'billing', level: config.LOG_LEVEL });
const life = lifecycle({ logger });

await life.run(async () => {
  const port = await openBilling(config, { logger, onStop: life.onStop });
  logger.info({ port }, 'billing is ready');
});
