export { openWallet } from './open-wallet.ts';
export { refuseEvictingRedis } from './refuse-evicting-redis.ts';
export type * from './wallet.ts';
