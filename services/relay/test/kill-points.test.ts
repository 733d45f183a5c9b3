import { type Bus, openBus, topics } from '@tollgate/bus';
import {
  eventually,
  everyRound,
  type FaultProxy,
  faultRounds,
  freePort,
  gaugeAt,
  type KafkaServer,
  makeReportedDue,
  orSkip,
  type RedisServer,
  type ServiceProcess,
  startFaultProxy,
  startKafka,
  startRedis,
  startService,
} from '@tollgate/testing';
import { expect } from 'chai';
import { askAt } from './support/ask.ts';
import { callsOf, expectSettled } from './support/books.ts';
import { type Gateway, modelRatios, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { startBillingProcess } from './support/processes.ts';
import { type RealtimeProvider, startRealtimeProvider, tenthOfSecond, usualUsage } from './support/realtime-provider.ts';
import { talkAt } from './support/talk.ts';

const buses = faultRounds > 1 ? ['Redis Streams', 'Kafka'] : ['Redis Streams'];
const granted = 1_000_000;
/** A text of 10 + 7 tokens; an answer of the realtime provider: 20 + 50 x 20 + 30 cached + 20 + 30 x 40. */
const priceOf = (mode: unknown) => (mode === 'realtime' ? 2270 : 17);
const group = 'billing.settlement';

/**
 * The relay at the points where a kill -9 could cost money. Its lines to Redis and to the bus go through fault proxies, which stop
 * it at the point itself; the process knows nothing of that. What the provider counts is held against the log.
 */
for (const busName of buses) {
  describe(`A relay that dies, on ${busName}`, function () {
    this.timeout(60_000 * faultRounds);
    let redis: RedisServer;
    let kafka: KafkaServer | undefined;
    let toRedis: FaultProxy;
    let toBus: FaultProxy;
    let gateway: Gateway;
    let voices: RealtimeProvider;
    let billing: ServiceProcess;
    let billingMetrics: number;
    let relay: ServiceProcess;
    let relayMetrics: number;
    let user: TestUser;
    let bus: Bus;
    let busBehindProxy: string;

    before(async function () {
      redis = await startRedis({ appendfsync: 'always' });
      toRedis = await startFaultProxy({ to: redis.port });
      let busUrl = redis.url;
      if (busName === 'Kafka') {
        kafka = await orSkip(this, startKafka);
        const { proxy, brokers } = await kafka.proxied();
        toBus = proxy;
        busUrl = `kafka://${kafka.brokers.join(',')}`;
        busBehindProxy = `kafka://${brokers.join(',')}`;
      } else {
        toBus = await startFaultProxy({ to: redis.port });
        busBehindProxy = `redis://127.0.0.1:${toBus.port}`;
      }
      gateway = await startGateway({ REDIS_URL: redis.url, BUS_URL: busUrl, RELAY_HOLD_MS: '2000' });
      bus = await openBus(busUrl);
      voices = await startRealtimeProvider();
      await gateway.channel();
      await gateway.channel({ models: ['voice'], baseUrl: voices.url });
      await gateway.options({ ModelRatio: JSON.stringify({ ...modelRatios, voice: 1 }) });
      const first = await gateway.user();
      await untilServed(gateway, first.token, 'voice');
      billingMetrics = await freePort();
      billing = await startBillingProcess({ ...gateway.env, METRICS_PORT: String(billingMetrics) });
    });
    after(async () => {
      await billing?.stop();
      await bus?.close();
      await gateway?.stop();
      await voices?.close();
      await toRedis?.close();
      await toBus?.close();
      await redis?.stop();
      await kafka?.stop();
    });
    beforeEach(startRelay);
    afterEach(async () => {
      process.kill(billing.pid, 'SIGCONT');
      await relay.kill9();
    });

    async function startRelay(): Promise<void> {
      relayMetrics = await freePort();
      const env = { REDIS_URL: `redis://127.0.0.1:${toRedis.port}`, BUS_URL: busBehindProxy, METRICS_PORT: String(relayMetrics) };
      relay = await startService('relay', { ...gateway.env, ...env });
    }

    const ask = (fields?: Record<string, unknown>) => askAt(relay.url, user.token.authorization, fields);
    /** Whole answers and streams, read to their end or to where they break. */
    const texts = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          ask(at % 2 === 0 ? { stream: true } : { model: 'other-model' })
            .then((answer) => answer.text())
            .catch(() => ''),
        ),
      );
    const logs = () => callsOf(user);
    /** A session in which one answer is asked for. */
    const spoken = async () => {
      const talk = await talkAt(relay.url, user.token.authorization);
      talk.say({ type: 'response.create' });
      return talk;
    };

    /** Runs the relay to a point, kills it there, and waits until the books are right again. A successor serves the next round. */
    async function dieAt(reachPoint: () => Promise<void>, then: { charged: number; meanwhile?: () => Promise<unknown> }): Promise<void> {
      await everyRound(async () => {
        gateway.provider.reset();
        voices.reset();
        user = await gateway.user({ balance: granted });
        await reachPoint();
        await relay.kill9();
        for (const proxy of [toRedis, toBus]) {
          proxy.reset(); // what the dead had said and was held back is lost with it
          proxy.heal();
        }
        await then.meanwhile?.();
        await startRelay();
        await settled(then.charged);
      });
    }

    /** So many calls are charged, once; nothing is held; the wallet is grants minus logs; the gauge, as both doors show it, is zero. */
    async function settled(calls: number): Promise<void> {
      await eventually(
        async () => {
          await expectSettled(gateway, user, { calls, granted });
          for (const port of [billingMetrics, relayMetrics]) expect(await gaugeAt(port, 'tollgate_answered_not_billed')).to.equal(0);
          expect(await gaugeAt(billingMetrics, 'tollgate_holds_open')).to.equal(0);
        },
        { timeoutMs: 60_000, everyMs: 50 },
      );
    }

    it('after the reserve: the hold ends, nothing is charged', async () => {
      await dieAt(
        async () => {
          gateway.provider.answers({ refuseBy: 'hang' });
          voices.manner({ stopAfter: 0 });
          void texts(4);
          await (await spoken()).next('response.created');
          await eventually(() => expect(gateway.provider.calls).to.have.length(4));
          expect(await gateway.openHolds(user)).to.equal(6); // four calls, a session and its response
        },
        { charged: 0 },
      );
    });

    it('in mid stream: what was delivered is charged once, the provider is let go', async () => {
      await dieAt(
        async () => {
          gateway.provider.answers({ words: 1_000, promptTokens: 10, paceMs: 20 });
          const streams = await Promise.all(Array.from({ length: 5 }, () => ask({ stream: true })));
          for (const stream of streams) {
            const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
            for (let piece = 0; piece < 3; piece += 1) await reader.read();
            reader.read().then(
              () => reader.cancel(),
              () => undefined,
            );
          }
        },
        { charged: 5 },
      );
      for (const row of await logs()) {
        expect(row).to.include({ endReason: 'relay_lost', usageSource: 'estimated' });
        expect(row.quota).to.be.within(2, 200);
      }
      await eventually(() => expect(gateway.provider.totals().open).to.equal(0));
    });

    it('in mid-session: what was done is charged as counted, what was under way for what was delivered, what had not begun not at all', async () => {
      await dieAt(
        async () => {
          const [talk, silent] = await Promise.all([1, 2].map(() => talkAt(relay.url, user.token.authorization)));
          talk?.say({ type: 'response.create' });
          await talk?.next('response.done');
          voices.manner({ words: 4, stopAfter: 4 });
          talk?.say({ type: 'response.create' });
          await talk?.next('response.output_text.delta');
          silent?.say({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
          silent?.say({ type: 'input_audio_buffer.append', audio: tenthOfSecond });
          await eventually(async () => expect(await gateway.openHolds(user)).to.equal(4)); // two sessions, and a response in each
        },
        { charged: 2 },
      );
      const [done, broken] = (await logs()).toSorted((one, other) => one._id.localeCompare(other._id));
      expect(done).to.include({ endReason: 'complete', usageSource: 'upstream', mode: 'realtime' });
      expect(broken).to.include({ endReason: 'relay_lost', usageSource: 'estimated', mode: 'realtime', sessionId: done?.sessionId });
      expect(done?.sessionId).to.be.a('string');
      await eventually(() => expect(voices.sessions.every(({ socket }) => socket.readyState === socket.CLOSED)).to.equal(true));
    });

    it('with the last byte read and before the report: no caller has a whole answer, streams are charged once for what they got', async () => {
      await dieAt(
        async () => {
          gateway.provider.answers({ words: 30, promptTokens: 10, paceMs: 10 });
          gateway.provider.answers({ words: 30, promptTokens: 10, delayMs: 600 }, 'other-model');
          voices.manner({ stopAfter: 1 });
          const talk = await spoken();
          const { response } = await talk.next('response.created');
          await talk.next('response.output_text.delta');
          const held = toRedis.holdBefore((bytes) => bytes.includes('"endReason":"complete"'));
          const answers = texts(6);
          await held;
          await eventually(() => expect(gateway.provider.totals().full).to.equal(6));
          voices.last().say({ type: 'response.done', response: { ...(response as object), usage: usualUsage } });
          await relay.kill9();
          expect(talk.heard.map(({ type }) => type)).to.not.include('response.done');
          for (const text of await answers)
            expect(text)
              .to.not.contain('[DONE]')
              .and.to.not.match(/\}\s*$/);
        },
        { charged: 4 },
      );
      for (const row of await logs()) expect(row).to.include({ endReason: 'relay_lost', usageSource: 'estimated', isStream: true });
    });

    it('with the bill reported and before it is published: the sweep finds it, every answer is charged once', async () => {
      await dieAt(
        async () => {
          gateway.provider.answers({ words: 7, promptTokens: 10 });
          toBus.blackHole();
          for (const text of await texts(6)) expect(text).to.match(/\[DONE\]|\}\s*$/);
          await (await spoken()).next('response.done');
          expect(gateway.provider.totals().full).to.equal(6);
          expect(await gateway.wallet.counts()).to.deep.equal({ open: 1, reported: 7 }); // the session is open
          expect(await gaugeAt(relayMetrics, 'tollgate_answered_not_billed')).to.equal(7);
          expect(await gaugeAt(relayMetrics, 'relay_queued_events')).to.equal(7);
        },
        { charged: 7, meanwhile: () => makeReportedDue(gateway.redis) },
      );
      for (const row of await logs()) expect(row).to.include({ quota: priceOf(row.mode), endReason: 'complete' });
    });

    it('with the bus knowing and before its word came back: published again and again, charged once', async () => {
      await dieAt(
        async () => {
          gateway.provider.answers({ words: 7, promptTokens: 10 });
          await texts(1);
          await settled(1);
          process.kill(billing.pid, 'SIGSTOP'); // so that the second publication finds the first one uncharged
          toBus.loseAnswers();
          for (const text of await texts(6)) expect(text).to.match(/\[DONE\]|\}\s*$/);
          await (await spoken()).next('response.done');
          const published = () => bus.lag(topics.usageRecorded, group);
          await eventually(async () => expect(await published()).to.be.at.least(1)); // one send is under way at a time
          const first = await published();
          toBus.reset();
          toBus.heal();
          // Kafka itself knows a repeated send; Redis takes it for another.
          const total = kafka ? 7 : 7 + first;
          await eventually(async () => expect(await published()).to.be.at.least(total), { timeoutMs: 20_000 });
        },
        { charged: 8, meanwhile: async () => process.kill(billing.pid, 'SIGCONT') },
      );
      for (const row of await logs()) expect(row).to.include({ quota: priceOf(row.mode), endReason: 'complete' });
    });
  });
}
