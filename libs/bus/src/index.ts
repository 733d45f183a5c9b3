export { type BatchedPublisher, type BatchedPublisherOptions, batchedPublisher } from './batched-publisher.ts';
export * from './bus.ts';
export { type DeadLetter, deadLetter, deadTopicOf } from './dead-letters.ts';
export type { KafkaAccess } from './drivers/driver.ts';
export { type Announcer, announce, type NoticeKind, type NoticeWatch, openAnnouncer, watchNotices } from './notices.ts';
export { type BusOptions, openBus } from './open-bus.ts';
export { askForReplay, type DeadLettersState, deadLettersState, tendDeadLetters } from './replay-requests.ts';
export { silenceKafkajs } from './silence-kafkajs.ts';
export { topics } from './topics.ts';
