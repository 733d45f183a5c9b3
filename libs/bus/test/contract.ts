import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import {
  type Bus,
  batchedPublisher,
  type Consumption,
  deadLetter,
  deadTopicOf,
  openBus,
  type Subscription,
  type Topic,
} from '../src/index.ts';
import { ConsumerProcess } from './consumer-process-handle.ts';
import { freshTopic, numbered, type TestEngine, type TestEvent } from './engine.ts';
import { expectOrderPerKey, Recorder } from './recorder.ts';

const patient = { timeoutMs: 40_000 };

/** The behavior that every driver must show. */
export function busContract(engineOf: () => TestEngine): void {
  let bus: Bus;
  let topic: Topic<TestEvent>;
  const consumptions: Consumption[] = [];
  const processes: ConsumerProcess[] = [];

  before(async () => {
    bus = await openBus(engineOf().url, { partitions: 4 });
  });
  beforeEach(() => {
    topic = freshTopic();
  });
  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill();
    await Promise.all(consumptions.splice(0).map((consumption) => consumption.stop()));
  });
  after(() => bus?.close()); // not opened where the datastore is skipped

  async function consume(
    handleBatch: Subscription<TestEvent>['handleBatch'],
    options: Partial<Pick<Subscription<TestEvent>, 'group' | 'maxBatch' | 'handlerTimeoutMs' | 'topic' | 'onDead'>> = {},
  ): Promise<Consumption> {
    const consumption = await bus.consume({
      topic: options.topic ?? topic,
      group: options.group ?? 'g',
      maxBatch: options.maxBatch,
      lingerMs: 20,
      handlerTimeoutMs: options.handlerTimeoutMs,
      handleBatch,
      onDead: options.onDead,
    });
    consumptions.push(consumption);
    return consumption;
  }

  async function stop(consumption: Consumption): Promise<void> {
    consumptions.splice(consumptions.indexOf(consumption), 1);
    await consumption.stop();
  }

  function consumerProcess(batchMs: number, instance?: string): ConsumerProcess {
    const child = new ConsumerProcess(engineOf().url, topic.name, 'g', batchMs, instance);
    processes.push(child);
    return child;
  }

  it('delivers every event once, the events of a key in order and in one partition', async () => {
    const seen = new Recorder();
    await consume(seen.handleBatch);
    await bus.publish(topic, numbered(1_000, 37));
    await bus.publish(topic, numbered(1_000, 37, 28));
    await eventually(() => expect(seen.deliveries).to.have.length(2_000), patient);
    for (let key = 0; key < 37; key += 1) {
      const own = seen.deliveries.filter((delivery) => delivery.key === `user-${key}`);
      expect(new Set(own.map(({ coordinates }) => coordinates.partition)).size).to.equal(1);
      expect(own.map(({ value }) => value.n)).to.deep.equal(own.map(({ value }) => value.n).toSorted((a, b) => a - b));
    }
    for (const batch of seen.batches) expect(new Set(batch.map(({ coordinates }) => coordinates.partition)).size).to.equal(1);
  });

  it('gives coordinates that sort as text inside an epoch and partition, and a time', async () => {
    const seen = new Recorder();
    await consume(seen.handleBatch);
    for (let i = 0; i < 12; i += 1) await bus.publish(topic, [{ key: 'one', value: { key: 'one', n: i } }]);
    await eventually(() => expect(seen.deliveries).to.have.length(12), patient);
    const offsets = seen.deliveries.map(({ coordinates }) => coordinates.offset);
    expect(offsets).to.deep.equal(offsets.toSorted());
    expect(new Set(offsets).size).to.equal(12);
    const [first] = seen.deliveries;
    expect(first?.coordinates.epoch).to.match(/^\w{16}$/);
    expect(Math.abs((first?.timestampMs ?? 0) - Date.now())).to.be.below(60_000);
  });

  it('goes on after the last committed event, and does not deliver committed ones again', async () => {
    const first = new Recorder();
    await bus.publish(topic, numbered(200, 10));
    await stop(await consumeAll(first, 200));
    await bus.publish(topic, numbered(100, 10, 20));
    const second = new Recorder();
    await consumeAll(second, 100);
    expect(Math.min(...second.deliveries.map(({ value }) => value.n))).to.equal(20);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
  });

  async function consumeAll(recorder: Recorder, count: number): Promise<Consumption> {
    const consumption = await consume(recorder.handleBatch);
    await eventually(() => expect(recorder.deliveries.length).to.equal(count), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
    return consumption;
  }

  it('gives two groups everything, each at its own pace', async () => {
    const [fast, slow] = [new Recorder(), new Recorder()];
    const early = await consume(slow.handleBatch, { group: 'slow' });
    await consume(fast.handleBatch, { group: 'fast' });
    await bus.publish(topic, numbered(50, 5));
    await eventually(() => expect([slow.distinct, fast.distinct]).to.deep.equal([50, 50]), patient);
    await eventually(async () => expect(await bus.lag(topic, 'slow')).to.equal(0), patient);
    await stop(early);
    await bus.publish(topic, numbered(50, 5, 10));
    await eventually(() => expect(fast.distinct).to.equal(100), patient);
    await eventually(async () => expect(await bus.lag(topic, 'fast')).to.equal(0), patient);
    expect(await bus.lag(topic, 'slow')).to.equal(50);
    await consume(slow.handleBatch, { group: 'slow' });
    await eventually(() => expect(slow.distinct).to.equal(100), patient);
  });

  it('takes a throw for "not now": the same events come again in order, the other partitions go on, nothing is lost', async () => {
    const seen = new Recorder();
    let failing = 0;
    let until = 3;
    await consume(async (batch) => {
      if (batch.some(({ key }) => key === 'user-0') && until > 0) {
        until -= 1;
        failing += 1;
        throw new Error('the store is away');
      }
      await seen.handleBatch(batch);
    });
    await bus.publish(topic, numbered(400, 20));
    await eventually(() => expect(seen.distinct).to.equal(400), patient);
    expect(failing).to.equal(3);
    expectOrderPerKey(seen.deliveries);
    expect(seen.ofKey('user-0')).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
  });

  it('does not wait for ever for a handler that never ends: it is told to stop, and the same events come again', async () => {
    const seen = new Recorder();
    const told: boolean[] = [];
    await consume(
      async (batch, { signal }) => {
        if (told.length > 0) return seen.handleBatch(batch);
        await new Promise(() => signal.addEventListener('abort', () => told.push(true)));
      },
      { handlerTimeoutMs: 300 },
    );
    await bus.publish(topic, numbered(20, 1));
    await eventually(() => expect(seen.distinct).to.equal(20), patient);
    expect(told).to.deep.equal([true]);
    expectOrderPerKey(seen.deliveries);
  });

  it('pauses on a store that is down, in each partition, and catches up', async () => {
    const seen = new Recorder();
    let isDown = true;
    let tries = 0;
    const consumption = await consume(async (batch) => {
      tries += 1;
      if (isDown) throw new Error('the store is away');
      await seen.handleBatch(batch);
    });
    await bus.publish(topic, numbered(400, 20));
    await eventually(() => expect(tries).to.be.at.least(6), patient);
    expect(seen.deliveries).to.have.length(0);
    await eventually(() => expect(consumption.progress().lag).to.equal(400), patient);
    isDown = false;
    await eventually(() => expect(seen.distinct).to.equal(400), patient);
    expect(seen.deliveries).to.have.length(400);
    expectOrderPerKey(seen.deliveries);
    await eventually(() => expect(consumption.progress().lag).to.equal(0), patient);
  });

  it('sends what cannot be read to the dead letters with its place, goes on with the rest, and can replay', async () => {
    const seen = new Recorder();
    const engine = engineOf();
    await bus.publish(topic, numbered(5, 1));
    await engine.publishRaw(topic.name, 'user-0', '{"half":');
    await engine.publishRaw(topic.name, 'user-0', Buffer.from([0xff, 0xfe, 0x00, 0x80]));
    await engine.publishRaw(topic.name, 'user-0', '');
    await engine.publishRaw(topic.name, 'user-0', JSON.stringify({ key: 'user-0', n: 'seven' }));
    await engine.publishRaw(topic.name, 'user-0', JSON.stringify({ version: 2, key: 'user-0', n: 8 }));
    await bus.publish(topic, numbered(5, 1, 5));
    const consumption = await consume(seen.handleBatch);
    await eventually(() => expect(seen.ofKey('user-0')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), patient);
    await eventually(() => expect(consumption.progress().dead).to.equal(5), patient);

    const letters: { error: string; coordinates: { offset: string } }[] = [];
    const reading = await bus.consume({
      topic: { name: deadTopicOf(topic.name), schema: deadLetter },
      group: 'look',
      async handleBatch(batch) {
        for (const { value } of batch) letters.push(value);
      },
    });
    consumptions.push(reading);
    await eventually(() => expect(letters).to.have.length(5), patient);
    const errors = letters.map(({ error }) => error).join('\n');
    expect(errors)
      .to.match(/not JSON/)
      .and.match(/n: /)
      .and.match(/version 2, this program knows versions up to 1: update it/);
    for (const { coordinates } of letters) expect(coordinates.offset).to.match(/^\d/);

    await stop(consumption);
    const updated = new Recorder();
    await consume(updated.handleBatch, { topic: { ...topic, version: 2 } });
    expect(await bus.replayDead(topic)).to.deep.equal({ replayed: 5, kept: 0 });
    await eventually(() => expect(updated.ofKey('user-0')).to.deep.equal([8]), patient);
    await eventually(() => expect(letters).to.have.length(9), patient);
    expect(await bus.lag(topic, 'g')).to.be.at.most(5);
  });

  it('sets aside what the handler rejects, tells of it, and goes on with the rest', async () => {
    const [seen, dead]: [number[], string[]] = [[], []];
    const consumption = await consume(
      async (batch, { reject }) => {
        for (const delivery of batch) {
          if (delivery.value.n % 2 === 1) reject(delivery, `${delivery.value.n} is odd`);
          else seen.push(delivery.value.n);
        }
      },
      { onDead: async ({ raw, error }) => void dead.push(`${JSON.parse(raw).n}: ${error}`) },
    );
    await bus.publish(
      topic,
      [0, 1, 2, 3].map((n) => ({ key: 'user-0', value: { key: 'user-0', n } })),
    );
    await eventually(
      () =>
        expect([seen, dead]).to.deep.equal([
          [0, 2],
          ['1: 1 is odd', '3: 3 is odd'],
        ]),
      patient,
    );
    expect(consumption.progress().dead).to.equal(2);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
  });

  it('carries a message of 2 MB, and one of 2 MB that is garbage goes to the dead letters in part', async () => {
    const seen = new Recorder();
    const engine = engineOf();
    const consumption = await consume(seen.handleBatch);
    await engine.publishRaw(topic.name, 'big', JSON.stringify({ key: 'big', n: 0, padding: 'x'.repeat(2 * 1024 * 1024) }));
    await engine.publishRaw(topic.name, 'big', `${'y'.repeat(2 * 1024 * 1024)}`);
    await bus.publish(topic, [{ key: 'big', value: { key: 'big', n: 1 } }]);
    await eventually(() => expect(seen.ofKey('big')).to.deep.equal([0, 1]), patient);
    expect(seen.deliveries[0]?.value.padding).to.have.length(2 * 1024 * 1024);
    await eventually(() => expect(consumption.progress().dead).to.equal(1), patient);
    expect(await bus.replayDead(topic)).to.deep.equal({ replayed: 0, kept: 1 });
  });

  it('shares the partitions among consumers as they come and go, and loses nothing', async () => {
    const [one, two] = [new Recorder(), new Recorder()];
    const all = () => [...one.deliveries, ...two.deliveries];
    const distinct = () => new Set(all().map(({ value }) => `${value.key}/${value.n}`)).size;
    const first = await consume(one.handleBatch);
    await eventually(() => expect(first.progress().partitions).to.deep.equal([0, 1, 2, 3]), patient);
    await bus.publish(topic, numbered(200, 20));
    const second = await consume(two.handleBatch);
    await eventually(() => {
      expect(first.progress().partitions).to.have.length(2);
      expect(second.progress().partitions).to.have.length(2);
    }, patient);
    await bus.publish(topic, numbered(200, 20, 10));
    await eventually(() => expect(distinct()).to.equal(400), patient);
    expect(two.deliveries).not.to.have.length(0);
    await stop(first);
    await eventually(() => expect(second.progress().partitions).to.deep.equal([0, 1, 2, 3]), patient);
    await bus.publish(topic, numbered(200, 20, 20));
    await eventually(() => expect(distinct()).to.equal(600), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
  });

  it('delivers again what a consumer had begun when it was killed with -9', async () => {
    await bus.publish(topic, numbered(200, 20));
    const victim = consumerProcess(60_000);
    await victim.untilBegun(1);
    victim.kill();
    const seen = new Recorder();
    await consume(seen.handleBatch);
    await eventually(() => expect(seen.distinct).to.equal(200), patient);
    expectOrderPerKey(seen.deliveries);
  });

  it('gives the partitions of a killed consumer at once to one that starts under its name', async () => {
    const { url, sessionMs } = engineOf();
    const partitionsOf = (consumption: Consumption) => consumption.progress().partitions;
    await bus.publish(topic, numbered(1, 1));
    const victim = consumerProcess(0, 'one');
    await victim.untilBegun(1);
    const other = await consume(async () => undefined);
    await eventually(() => expect(partitionsOf(other)).to.have.length(2), patient);
    victim.kill();
    const killedAt = Date.now();
    const restarted = await openBus(url, { partitions: 4, instance: 'one' });
    const consumption = await restarted.consume({ topic, group: 'g', handleBatch: async () => undefined });
    consumptions.push(consumption);
    await eventually(() => expect([partitionsOf(consumption), partitionsOf(other)].flat()).to.have.members([0, 1, 2, 3]), patient);
    expect(Date.now() - killedAt).to.be.below(0.8 * sessionMs);
    await bus.publish(topic, numbered(200, 20, 1));
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
    await stop(consumption);
    await restarted.close();
  });

  it('is not moved by a zombie: a consumer that was frozen, lost its partitions and woke up', async () => {
    await bus.publish(topic, numbered(200, 20));
    const zombie = consumerProcess(500);
    await zombie.untilBegun(1);
    zombie.signal('SIGSTOP');
    const seen = new Recorder();
    const successor = await consume(seen.handleBatch);
    await eventually(() => expect(successor.progress().partitions).to.have.length(4), patient);
    await bus.publish(topic, numbered(200, 20, 10));
    await eventually(() => expect(seen.ofKey('user-0')).to.include(19), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
    zombie.signal('SIGCONT');
    await bus.publish(topic, numbered(200, 20, 20));
    const handled = () =>
      new Set([...seen.deliveries.map(({ value }) => `${value.key}/${value.n}`), ...zombie.done.map(({ key, n }) => `${key}/${n}`)]);
    await eventually(() => expect(handled().size).to.equal(600), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
    expectOrderPerKey(seen.deliveries.filter(({ value }) => value.n < 20));
  });

  it('names another epoch when the topic is made again, and delivers all that is in the new one', async () => {
    const seen = new Recorder();
    const consumption = await consume(seen.handleBatch);
    await bus.publish(topic, numbered(100, 10));
    await eventually(() => expect(seen.deliveries).to.have.length(100), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
    await engineOf().deleteTopic(topic.name);
    const publisher = batchedPublisher(bus, topic);
    for (const { key, value } of numbered(200, 10, 10)) publisher.push(key, value);
    await publisher.flush();
    await eventually(() => expect(seen.distinct).to.equal(300), patient);
    const epochs = new Set(seen.deliveries.map(({ coordinates }) => coordinates.epoch));
    expect(epochs.size).to.equal(2);
    const late = seen.deliveries.filter(({ value }) => value.n >= 10);
    expect(new Set(late.map(({ coordinates }) => coordinates.epoch)).size).to.equal(1);
    await stop(consumption);
  });

  it('delivers from its beginning a topic that was made again while nobody read', async () => {
    const seen = new Recorder();
    await bus.publish(topic, numbered(100, 10));
    await stop(await consumeAll(seen, 100));
    await engineOf().deleteTopic(topic.name);
    await eventually(() => bus.publish(topic, numbered(10, 1, 10)), patient);
    await consume(seen.handleBatch);
    await eventually(() => expect(seen.distinct).to.equal(110), patient);
  });

  it('loses nothing and goes on when the engine is killed with -9 and comes back', async function () {
    this.timeout(150_000);
    const seen = new Recorder();
    await consume(seen.handleBatch);
    await bus.publish(topic, numbered(500, 20));
    const publisher = batchedPublisher(bus, topic);
    await engineOf().kill9();
    for (const { key, value } of numbered(500, 20, 25)) publisher.push(key, value);
    await delay(300); // some attempts fail while the server is down
    expect(publisher.pending).to.equal(500);
    let isRefused = false;
    await bus.ready().catch(() => {
      isRefused = true;
    });
    expect(isRefused).to.equal(true);
    await engineOf().restart();
    await eventually(() => expect(seen.distinct).to.equal(1_000), { timeoutMs: 90_000 });
    expectOrderPerKey(seen.deliveries);
    await publisher.flush();
    expect(publisher.pending).to.equal(0);
    await eventually(() => bus.ready(), patient);
    await eventually(async () => expect(await bus.lag(topic, 'g')).to.equal(0), patient);
  });
}
