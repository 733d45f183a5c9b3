import { expect } from 'chai';
import type { Delivery } from '../src/index.ts';
import type { TestEvent } from './engine.ts';

/** Keeps the deliveries of a handler. */
export class Recorder {
  deliveries: Delivery<TestEvent>[] = [];
  batches: Delivery<TestEvent>[][] = [];

  handleBatch = async (batch: Delivery<TestEvent>[]): Promise<void> => {
    this.batches.push(batch);
    this.deliveries.push(...batch);
  };

  /** Number of distinct events. */
  get distinct(): number {
    return new Set(this.deliveries.map(({ value }) => `${value.key}/${value.n}`)).size;
  }

  ofKey(key: string): number[] {
    return this.deliveries.filter(({ value }) => value.key === key).map(({ value }) => value.n);
  }
}

/** Expects the events of each key in order, apart from redeliveries: an event is first seen after all events before it. */
export function expectOrderPerKey(deliveries: Delivery<TestEvent>[], from = 0): void {
  const next = new Map<string, number>();
  for (const { value } of deliveries) {
    const expected = next.get(value.key) ?? from;
    expect(value.n, `order of ${value.key}`).to.be.at.most(expected);
    if (value.n === expected) next.set(value.key, expected + 1);
  }
}
