export { holdKey, indexKey, tokenKey, walletKey } from './keys.ts';
export { openWallet } from './open-wallet.ts';
export { refuseEvictingRedis } from './refuse-evicting-redis.ts';
export type * from './wallet.ts';
