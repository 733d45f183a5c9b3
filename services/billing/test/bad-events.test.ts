import { askForReplay, type Bus, deadLetter, deadLettersState, deadTopicOf, openBus, topics } from '@tollgate/bus';
import { chargedIdsKeptMs, type UsageRecorded } from '@tollgate/contracts';
import { connectDatabase, disconnectDatabase, rows } from '@tollgate/db';
import {
  type BundledMongo,
  eventually,
  freePort,
  freshId,
  gaugeAt,
  type KafkaServer,
  makeReportedDue,
  orSkip,
  type RedisServer,
  type ServiceProcess,
  skipBecause,
  startBundledMongo,
  startKafka,
  startRedis,
  usageEvent,
} from '@tollgate/testing';
import { openWallet, type Wallet } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AnsweredCalls, answeredCalls } from './answered-calls.ts';
import { startBilling } from './billing-process.ts';
import { agreeingBooks } from './books.ts';

const onKafka = process.env.TEST_BUS === 'kafka';
const topic = topics.usageRecorded;

/** The usage topic, with invalid messages. */
describe(`billing, with a bus full of rubbish, ${onKafka ? 'on Kafka' : 'on Redis Streams'}`, () => {
  let redisServer: RedisServer;
  let store: BundledMongo;
  let kafka: KafkaServer | undefined;
  let redis: Redis;
  let wallet: Wallet;
  let bus: Bus;
  let calls: AnsweredCalls;
  let billing: ServiceProcess | undefined;
  let metrics: number;
  let env: Record<string, string>;

  before(async function () {
    this.timeout(120_000);
    kafka = onKafka ? await orSkip(this, startKafka) : undefined;
    redisServer = await startRedis();
    store = await startBundledMongo();
    metrics = await freePort();
    const busUrl = kafka ? `kafka://${kafka.brokers.join(',')}` : redisServer.url;
    env = { MONGODB_URI: `${store.uri}rubbish`, REDIS_URL: redisServer.url, BUS_URL: busUrl, METRICS_PORT: String(metrics) };
    await connectDatabase(env.MONGODB_URI ?? '');
    redis = new Redis(redisServer.url, { enableAutoPipelining: true });
    wallet = openWallet({ redis });
    bus = await openBus(busUrl);
    calls = await answeredCalls({ url: busUrl, wallet });
    billing = await startBilling(env);
  });
  after(async () => {
    await billing?.kill9();
    await calls?.close();
    await bus?.close();
    redis?.disconnect();
    await disconnectDatabase();
    await store?.stop();
    await redisServer?.stop();
    await kafka?.stop();
  });

  const publish = (key: string, json: string) => bus.publishEncoded(topic, [{ key, json }]);

  it('sets aside what it cannot read, says why, and charges everything else', async () => {
    const event = usageEvent({ id: `call-${freshId()}` });
    await calls.answer(100);
    const rubbish: [string, string][] = [
      ['someone', 'not even JSON'],
      ['', '{"half":'],
      ['someone', '\0\uffff\u0001\u0002'],
      ['', ''],
      ['someone', JSON.stringify({ orderId: 7, items: [1, 2, 3] })],
      ['someone', JSON.stringify([event])],
      ['someone', JSON.stringify({ ...event, quota: -5 })],
      ['someone', JSON.stringify({ ...event, quota: '15' })],
      ['someone', JSON.stringify({ ...event, userId: 1.5 })],
      ['someone', JSON.stringify({ ...event, version: 99 })],
      ['someone', `"${'x'.repeat(2 << 20)}"`],
    ];
    for (const [key, json] of rubbish) {
      await publish(key, json);
      await calls.answer(20);
    }
    await calls.allChargedOnce();
    await eventually(async () => expect(await gaugeAt(metrics, 'tollgate_events_dead')).to.equal(rubbish.length), { timeoutMs: 20_000 });
    expect(await gaugeAt(metrics, 'tollgate_events_waiting')).to.equal(0);
    expect(await rows.usageLogs().countDocuments({ _id: event.id })).to.equal(0);

    const letters: { error: string }[] = [];
    const reading = await bus.consume({
      topic: { name: deadTopicOf(topic.name), schema: deadLetter },
      group: 'look',
      handleBatch: async (batch) => void letters.push(...batch.map(({ value }) => value)),
    });
    await eventually(() => expect(letters).to.have.length(rubbish.length), { timeoutMs: 20_000 });
    const reasons = letters.map(({ error }) => error).join('\n');
    expect(reasons)
      .to.match(/not JSON/)
      .and.match(/quota/)
      .and.match(/version 99/);
    await reading.stop();
  }).timeout(120_000);

  it('charges an event of 2 MB, one without a key, and one of a deleted token', async () => {
    const [known, keyless, tokenless] = [freshId(), freshId(), freshId()];
    for (const userId of [known, keyless, tokenless]) await wallet.post({ id: `grant:${userId}`, userId, amount: 1_000, reason: 'test' });
    const large = usageEvent({ id: `call-${freshId()}`, userId: known, quota: 15 });
    const events = [
      { ...large, padding: 'x'.repeat(2 << 20) },
      usageEvent({ id: `call-${freshId()}`, userId: keyless, quota: 15 }),
      usageEvent({ id: `call-${freshId()}`, userId: tokenless, tokenId: freshId(), quota: 15 }),
    ];
    for (const event of events) await publish(event.userId === keyless ? '' : String(event.userId), JSON.stringify(event));
    await eventually(
      async () => expect(await rows.usageLogs().countDocuments({ _id: { $in: events.map(({ id }) => id) } })).to.equal(events.length),
      { timeoutMs: 20_000 },
    );
    await eventually(async () => {
      expect(await agreeingBooks(known)).to.include({ charged: 15, balance: 985 });
      expect(await agreeingBooks(keyless)).to.include({ charged: 15, balance: 985 });
      expect(await agreeingBooks(tokenless)).to.include({ charged: 15, balance: 985 });
    });
  });

  it('charges nothing that cannot be true, says why, and gives nobody money', async () => {
    const [userId, other, stranger, tokenId, othersToken] = [freshId(), freshId(), freshId(), freshId(), freshId()];
    for (const id of [userId, other]) await wallet.post({ id: `grant:${id}`, userId: id, amount: 1_000, reason: 'test' });
    await wallet.openToken({ tokenId, userId, remain: 500 });
    await wallet.openToken({ tokenId: othersToken, userId: other, remain: 500 });
    const event = (given: Partial<UsageRecorded> = {}) => usageEvent({ userId, tokenId, quota: 15, ...given });
    const old = Date.now() - chargedIdsKeptMs;
    const held = { userId, tokenId, tokenUnlimited: false, requestId: `call-${freshId()}` };
    await wallet.reserve({ ...held, amount: 60, deadlineMs: Date.now() + 600_000 });
    const late = event({ id: held.requestId, at: old });
    await wallet.report(held, late);
    const lies: [UsageRecorded, RegExp][] = [
      [event({ uncollected: 1_000 }), /uncollected is 1000, more than the quota of 15/],
      [{ ...event(), quota: 5 }, /the quota is 5, but this usage at this price comes to 15/],
      [{ ...event(), usage: { ...event().usage, textOutput: 4 }, price: usageEvent().price }, /comes to 14/],
      [event({ items: [{ kind: 'pictures', amount: 2, price: 1 }] }), /its items come to 2, not to 0.00003 dollars/],
      [event({ userId: stranger, tokenId: 0 }), /there is no user/],
      [event({ tokenId: othersToken }), /is another user's/],
      [event({ at: Date.now() + 2 * 86_400_000 }), /more than a day from now/],
      [event({ at: old }), /too old to know whether it was charged/],
    ];
    const letters: { error: string; raw: string }[] = [];
    const reading = await bus.consume({
      topic: { name: deadTopicOf(topic.name), schema: deadLetter },
      group: 'look again',
      handleBatch: async (batch) => void letters.push(...batch.map(({ value }) => value)),
    });
    for (const [lie] of lies) await publish(String(userId), JSON.stringify(lie));
    await publish(String(userId), JSON.stringify(event()));
    await publish(String(userId), JSON.stringify(late));
    for (const [lie, reason] of lies) {
      await eventually(() => expect(letters.find(({ raw }) => raw.includes(lie.id))?.error).to.match(reason), { timeoutMs: 20_000 });
      expect(await rows.usageLogs().countDocuments({ _id: lie.id })).to.equal(0);
    }
    await eventually(async () => expect(await agreeingBooks(userId)).to.deep.equal({ charged: 30, balance: 970, calls: 2 }));
    expect(await rows.wallets().findOne({ _id: stranger })).to.equal(null);
    expect((await wallet.tokenBalances([othersToken])).get(othersToken)).to.include({ remain: 500, used: 0 });
    await reading.stop();
  });

  it('sends the event of a hold to the dead letters once, however often the sweep looks', async () => {
    const owner = { userId: freshId(), tokenId: 0, tokenUnlimited: true, requestId: `call-${freshId()}` };
    await wallet.post({ id: `grant:${owner.userId}`, userId: owner.userId, amount: 1_000, reason: 'test' });
    await wallet.reserve({ ...owner, amount: 60, deadlineMs: Date.now() + 600_000 });
    const event = usageEvent({ id: owner.requestId, userId: owner.userId, quota: 25 });
    await wallet.report(owner, { ...event, quota: 26 });
    const [dead, reported] = [await gaugeAt(metrics, 'tollgate_events_dead'), (await wallet.counts()).reported];
    await makeReportedDue(redis);
    await eventually(async () => expect(await gaugeAt(metrics, 'tollgate_events_dead')).to.equal(dead + 1), { timeoutMs: 20_000 });
    await eventually(async () => expect(await wallet.due(Date.now() + 3_600_000, 100)).to.deep.equal([]));
    expect(await gaugeAt(metrics, 'tollgate_events_dead')).to.equal(dead + 1);
    expect(await wallet.counts()).to.include({ reported });
    expect(await wallet.remaining([owner.userId])).to.deep.equal(new Map([[owner.userId, 974]]));
    await publish(String(owner.userId), JSON.stringify(event));
    await eventually(async () => expect(await agreeingBooks(owner.userId)).to.include({ charged: 25, balance: 975 }));
    await eventually(async () => expect(await wallet.counts()).to.include({ reported: reported - 1 }));
  });

  it('keeps an answered call whose event it cannot read in sight, until a program that can charges it', async () => {
    const owner = { userId: freshId(), tokenId: 0, tokenUnlimited: true, requestId: `call-${freshId()}` };
    await wallet.post({ id: `grant:${owner.userId}`, userId: owner.userId, amount: 1_000, reason: 'test' });
    await wallet.reserve({ ...owner, amount: 60, deadlineMs: Date.now() + 600_000 });
    const event = usageEvent({ id: owner.requestId, userId: owner.userId, quota: 25 });
    const { json } = await wallet.report(owner, event);
    await publish(String(owner.userId), JSON.stringify({ ...JSON.parse(json), version: 99 }));
    await calls.answer(20);
    await eventually(async () => {
      expect(await gaugeAt(metrics, 'tollgate_events_waiting')).to.equal(0);
      expect(await gaugeAt(metrics, 'tollgate_answered_not_billed')).to.equal(1);
    });
    await publish(String(owner.userId), json);
    await eventually(async () => expect(await gaugeAt(metrics, 'tollgate_answered_not_billed')).to.equal(0));
    expect(await agreeingBooks(owner.userId)).to.include({ charged: 25, balance: 975 });
  });

  it('tells how many letters wait, and publishes them again when it is asked to: what can be read by then is charged', async () => {
    const userId = freshId();
    const event = usageEvent({ id: `call-${freshId()}`, userId, tokenId: 0, quota: 15 });
    const dead = await gaugeAt(metrics, 'tollgate_events_dead');
    await publish(String(userId), JSON.stringify(event));
    await eventually(async () => expect(await gaugeAt(metrics, 'tollgate_events_dead')).to.equal(dead + 1), { timeoutMs: 20_000 });
    await wallet.post({ id: `grant:${userId}`, userId, amount: 1_000, reason: 'test' });
    const waiting = async () => (await deadLettersState(redis))?.waiting[topic.name] ?? 0;
    await eventually(async () => expect(await waiting()).to.be.greaterThan(dead), { timeoutMs: 20_000 });
    const asked = await wallet.now();
    await askForReplay(redis);
    await eventually(async () => expect(await agreeingBooks(userId)).to.include({ charged: 15, balance: 985 }), { timeoutMs: 90_000 });
    await eventually(async () => expect((await deadLettersState(redis))?.replay?.atMs).to.be.greaterThan(asked), { timeoutMs: 60_000 });
    const state = await deadLettersState(redis);
    expect(state?.isWanted).to.equal(false);
    expect(state?.replay?.replayed).to.be.greaterThan(dead - 1);
    expect(state?.replay?.kept, 'the one that was too large to be kept whole').to.equal(1);
  }).timeout(200_000);

  it('refuses a topic that came back with fewer partitions, says what to do, and then charges everything', async function () {
    if (!onKafka) skipBecause(this, 'Redis Streams cannot lose partitions of a topic: their number is fixed at first use');
    this.timeout(120_000);
    const { Kafka, logLevel } = await import('kafkajs');
    const admin = new Kafka({ brokers: kafka?.brokers ?? [], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await billing?.stop();
    await admin.deleteTopics({ topics: [topic.name] });
    await eventually(async () => expect(await admin.listTopics()).not.to.include(topic.name), { timeoutMs: 20_000 });
    await admin.createTopics({ topics: [{ topic: topic.name, numPartitions: 2 }], waitForLeaders: false });
    await eventually(async () => expect(await admin.listTopics()).to.include(topic.name), { timeoutMs: 20_000 });
    await calls.answer(50, { publish: false });
    const words = await startBilling(env, '/readyz').then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(words).to.match(/has 2 partitions, it had 8 before\. Raise it again/);
    await admin.createPartitions({ topicPartitions: [{ topic: topic.name, count: 8 }] });
    await admin.disconnect();
    await makeReportedDue(redis); // publishes what could not be published meanwhile
    billing = await startBilling(env);
    await calls.allChargedOnce();
  });
});
