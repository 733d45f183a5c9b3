export { openWallet } from './open-wallet.ts';
export type * from './wallet.ts';
