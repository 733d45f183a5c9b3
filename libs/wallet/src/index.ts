export { holdKey, indexKey, limitKeys, tokenKey, walletKey } from './keys.ts';
export { type LimitRule, type LimitRules, limitRules } from './limit-rules.ts';
export { openWallet } from './open-wallet.ts';
export { refuseUnfitRedis } from './refuse-unfit-redis.ts';
export type * from './wallet.ts';
