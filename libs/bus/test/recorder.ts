import { expect } from 'chai';
import type { Delivery } from '../src/index.ts';
import type { TestEvent } from './engine.ts';

/** Keeps what a handler was given. */
export class Recorder {
  deliveries: Delivery<TestEvent>[] = [];
  batches: Delivery<TestEvent>[][] = [];

  handleBatch = async (batch: Delivery<TestEvent>[]): Promise<void> => {
    this.batches.push(batch);
    this.deliveries.push(...batch);
  };

  /** How many different events came. */
  get distinct(): number {
    return new Set(this.deliveries.map(({ value }) => `${value.key}/${value.n}`)).size;
  }

  ofKey(key: string): number[] {
    return this.deliveries.filter(({ value }) => value.key === key).map(({ value }) => value.n);
  }
}

/** Redeliveries apart, the events of each key came in order: the first time that each is seen, all before it have been seen. */
export function expectOrderPerKey(deliveries: Delivery<TestEvent>[], from = 0): void {
  const next = new Map<string, number>();
  for (const { value } of deliveries) {
    const expected = next.get(value.key) ?? from;
    expect(value.n, `order of ${value.key}`).to.be.at.most(expected);
    if (value.n === expected) next.set(value.key, expected + 1);
  }
}
