export { type RelayEnv, relayEnv } from './config.ts';
