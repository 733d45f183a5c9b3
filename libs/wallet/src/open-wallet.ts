import type { Redis } from 'ioredis';
import type { Wallet } from './wallet.ts';

/** The money verbs on one Redis connection and the models of `@tollgate/db`. */
export function openWallet(_engines: { redis: Redis }): Wallet {
  throw new Error('not there yet');
}
