export * from './channel.ts';
export * from './common.ts';
export * from './log.ts';
export * from './option.ts';
export * from './status.ts';
export * from './token.ts';
export * from './user.ts';
