import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { batchedPublisher, type EncodedMessage } from '../src/index.ts';
import { freshTopic } from './engine.ts';

/** A bus whose sends succeed or fail as the test decides. */
function heldBus() {
  const batches: EncodedMessage[][] = [];
  const sent: string[] = [];
  let settle: ((outcome?: Error) => void) | undefined;
  return {
    batches,
    sent,
    isSending: () => settle !== undefined,
    publishEncoded: (_topic: unknown, batch: EncodedMessage[]) => {
      expect(settle, 'one send in flight').to.equal(undefined);
      batches.push(batch);
      return new Promise<void>((resolve, reject) => {
        settle = (outcome) => {
          settle = undefined;
          if (outcome) return reject(outcome);
          sent.push(...batch.map(({ json }) => json));
          resolve();
        };
      });
    },
    async settle(outcome?: Error) {
      await eventually(() => expect(settle).to.be.a('function'));
      settle?.(outcome);
    },
  };
}

describe('the batched publisher', () => {
  const topic = freshTopic();
  const event = (n: number) => ({ key: 'k', n });

  it('sends what gathered in 10 ms as one batch', async () => {
    const bus = heldBus();
    const publisher = batchedPublisher(bus, topic);
    for (let n = 0; n < 5; n += 1) expect(publisher.push('k', event(n))).to.equal(true);
    expect(bus.batches).to.have.length(0);
    await bus.settle();
    await eventually(() => expect(publisher.pending).to.equal(0));
    expect(bus.batches.map((batch) => batch.length)).to.deep.equal([5]);
  });

  it('sends at once when a batch is full by count or by size, one send at a time, and nothing out of order', async () => {
    const bus = heldBus();
    const publisher = batchedPublisher(bus, topic, { maxWaitMs: 60_000, maxEvents: 3, maxBytes: 1_000 });
    for (let n = 0; n < 7; n += 1) publisher.push('k', event(n));
    expect(bus.isSending()).to.equal(true);
    await bus.settle();
    await bus.settle();
    expect(bus.batches.map((batch) => batch.length)).to.deep.equal([3, 3]);
    publisher.push('k', { ...event(7), padding: 'x'.repeat(2_000) });
    await bus.settle();
    expect(bus.batches.map((batch) => batch.length)).to.deep.equal([3, 3, 2]);
    expect(bus.sent.map((json) => JSON.parse(json).n)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('repeats a send that failed until it succeeds, before anything else', async () => {
    const bus = heldBus();
    const publisher = batchedPublisher(bus, topic, { maxEvents: 2 });
    for (let n = 0; n < 4; n += 1) publisher.push('k', event(n));
    await bus.settle(new Error('away'));
    await bus.settle(new Error('still away'));
    expect(publisher.pending).to.equal(4);
    await bus.settle();
    await bus.settle();
    await publisher.flush();
    expect(bus.sent.map((json) => JSON.parse(json).n)).to.deep.equal([0, 1, 2, 3]);
  });

  it('says that it is full, by count and by size, and then takes nothing until there is room', async () => {
    const bus = heldBus();
    const byCount = batchedPublisher(bus, topic, { maxQueuedEvents: 3 });
    for (let n = 0; n < 3; n += 1) expect(byCount.push('k', event(n))).to.equal(true);
    expect([byCount.full, byCount.push('k', event(3))]).to.deep.equal([true, false]);
    await bus.settle();
    await byCount.flush();
    expect([byCount.full, byCount.push('k', event(4))]).to.deep.equal([false, true]);
    await bus.settle();

    const bySize = batchedPublisher(heldBus(), topic, { maxQueuedBytes: 100 });
    expect(bySize.push('k', { ...event(0), padding: 'x'.repeat(100) })).to.equal(true);
    expect(bySize.full).to.equal(true);
    await bySize.close(0);
  });

  it('sends the rest when it is closed, and tells how many it could not', async () => {
    const bus = heldBus();
    const publisher = batchedPublisher(bus, topic, { maxWaitMs: 60_000 });
    publisher.push('k', event(0));
    const closing = publisher.close();
    await bus.settle();
    expect(await closing).to.equal(0);
    expect(publisher.push('k', event(1))).to.equal(false);

    const stuck = batchedPublisher(heldBus(), topic);
    stuck.push('k', event(0));
    stuck.push('k', event(1));
    expect(await stuck.close(30)).to.equal(2);
  });
});
