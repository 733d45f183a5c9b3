export { holdKey, indexKey, tokenKey, walletKey } from './keys.ts';
export { openWallet } from './open-wallet.ts';
export { refuseUnfitRedis } from './refuse-unfit-redis.ts';
export type * from './wallet.ts';
