import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { freshId } from '@tollgate/testing';

/** A batch as one consumer took it. */
export interface TakenBatch {
  epoch: string;
  partition: number;
  until: number;
  deliveries: Delivery<UsageRecorded>[];
}

/** The bus as the model sees it: partitions in order, one committed offset each, all of it gone when the topic is made anew. */
export class ModelTopic {
  epoch = newEpoch();
  private partitions: { log: UsageRecorded[]; committed: number }[] = [{ log: [], committed: 0 }];

  publish(event: UsageRecorded): void {
    this.partition(event.userId).log.push(structuredClone(event));
  }

  take(partition: number, size: number): TakenBatch | undefined {
    const index = partition % this.partitions.length;
    const { log, committed } = this.partition(index);
    const deliveries = log.slice(committed, committed + size).map((value, i) => ({
      value: structuredClone(value),
      key: String(value.userId),
      coordinates: { epoch: this.epoch, partition: index, offset: String(committed + i).padStart(12, '0') },
      timestampMs: Date.now(),
    }));
    return deliveries.length > 0 ? { epoch: this.epoch, partition: index, until: committed + deliveries.length, deliveries } : undefined;
  }

  commit({ epoch, partition, until }: TakenBatch): void {
    const state = this.partitions[partition];
    if (epoch === this.epoch && state) state.committed = Math.max(state.committed, until);
  }

  /** More partitions move keys; there are never fewer without a new topic. */
  repartition(count: number): void {
    while (this.partitions.length < count) this.partitions.push({ log: [], committed: 0 });
  }

  recreate(): void {
    this.epoch = newEpoch();
    this.partitions = [{ log: [], committed: 0 }];
  }

  get indexes(): number[] {
    return [...this.partitions.keys()];
  }

  private partition(key: number): { log: UsageRecorded[]; committed: number } {
    return this.partitions[key % this.partitions.length] as { log: UsageRecorded[]; committed: number };
  }
}

function newEpoch(): string {
  return `model.topic:${freshId()}`;
}
