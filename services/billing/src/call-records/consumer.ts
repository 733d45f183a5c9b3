import { type Bus, type Consumption, topics } from '@tollgate/bus';
import { callRecordsGroup } from '@tollgate/contracts';
import { recordCalls } from './record-calls.ts';

/** Stores what relays saw of failed calls and of channels. No money depends on it: it consumes apart from usage. */
export function startCallRecords({ bus }: { bus: Bus }): Promise<Consumption> {
  return bus.consume({
    topic: topics.callsRecorded,
    group: callRecordsGroup,
    maxBatch: 100,
    lingerMs: 500,
    handleBatch: (batch) => recordCalls(batch.map(({ value }) => value)),
  });
}
