export * from './hints.ts';
export * from './open-tasks.ts';
export * from './refunds.ts';
export * from './states.ts';
export * from './submission.ts';
