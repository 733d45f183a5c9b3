export { silenceKafkajs } from './silence-kafkajs.ts';
