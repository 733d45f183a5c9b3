import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { freshId } from '@tollgate/testing';

/** A batch taken by one consumer. */
export interface TakenBatch {
  birth: number;
  partition: number;
  until: number;
  deliveries: Delivery<UsageRecorded>[];
}

interface Partition {
  log: { event: UsageRecorded; epoch: string }[];
  committed: number;
}

/**
 * The bus in the model: ordered partitions with one committed offset each. A server restart begins a new epoch for later events; a
 * recreated topic has also lost all events.
 */
export class ModelTopic {
  epoch = newEpoch();
  /** The number of this creation of the topic. */
  birth = 0;
  private partitions: Partition[] = [{ log: [], committed: 0 }];

  publish(event: UsageRecorded): void {
    this.partition(event.userId).log.push({ event: structuredClone(event), epoch: this.epoch });
  }

  take(partition: number, size: number): TakenBatch | undefined {
    const index = partition % this.partitions.length;
    const { log, committed } = this.partition(index);
    const deliveries = log.slice(committed, committed + size).map(({ event, epoch }, i) => ({
      value: structuredClone(event),
      key: String(event.userId),
      coordinates: { epoch, partition: index, offset: String(committed + i).padStart(12, '0') },
      timestampMs: Date.now(),
    }));
    return deliveries.length > 0 ? { birth: this.birth, partition: index, until: committed + deliveries.length, deliveries } : undefined;
  }

  commit({ birth, partition, until }: TakenBatch): void {
    const state = this.partitions[partition];
    if (birth === this.birth && state) state.committed = Math.max(state.committed, until);
  }

  /** Adding partitions moves keys. Only a new topic can have fewer. */
  repartition(count: number): void {
    while (this.partitions.length < count) this.partitions.push({ log: [], committed: 0 });
  }

  restart(): void {
    this.epoch = newEpoch();
  }

  recreate(): void {
    this.epoch = newEpoch();
    this.birth++;
    this.partitions = [{ log: [], committed: 0 }];
  }

  get indexes(): number[] {
    return [...this.partitions.keys()];
  }

  private partition(key: number): Partition {
    return this.partitions[key % this.partitions.length] as Partition;
  }
}

function newEpoch(): string {
  return `model.topic:${freshId()}`;
}
