export { connectRedis } from './connect-redis.ts';
export { holdKey, indexKey, limitKeys, type Subject, tokenKey, walletKey } from './keys.ts';
export { type LimitRule, type LimitRules, limitRules, windowsOf } from './limit-rules.ts';
export { openWallet } from './open-wallet.ts';
export { refuseUnfitRedis } from './refuse-unfit-redis.ts';
export { openReplication, type Replication } from './replication.ts';
export type { Turn } from './turn.ts';
export type * from './wallet.ts';
