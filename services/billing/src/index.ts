export { settlementGroup } from './settlement/consumer.ts';
