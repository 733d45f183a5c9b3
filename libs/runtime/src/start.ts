// What a program needs that starts services: their settings, and the answers while they are away. It loads no HTTP client,
// metrics or traces, which would stay in the memory of a process that only waits.
export { answerAway, isPageWanted } from './answer-away.ts';
export * from './config.ts';
export { datastoreAway } from './datastore-away.ts';
export { endProcess } from './end-process.ts';
export { AppError } from './errors.ts';
export { languageOf } from './language.ts';
export { publicPortMessages } from './public-port.ts';
export * from './service-env.ts';
export { fromFiles } from './setting-files.ts';
