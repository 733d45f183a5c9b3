import { eventually, type OwnKafkaServer, orSkip, startKafka } from '@tollgate/testing';
import { expect } from 'chai';
import {
  type Admin,
  AssignerProtocol,
  Kafka,
  logLevel,
  type PartitionAssigner,
  PartitionAssigners,
  Partitioners,
  type Producer,
} from 'kafkajs';
import { type BusLogger, type KafkaAccess, openBus } from '../src/index.ts';
import { ConsumerProcess } from './consumer-process-handle.ts';
import { busContract } from './contract.ts';
import { freshTopic, numbered, type TestEngine } from './engine.ts';
import { Recorder } from './recorder.ts';
import { newKeys, startTokenServer, type TokenServer } from './token-server.ts';

describe('the bus on Kafka', () => {
  let server: OwnKafkaServer;
  let admin: Admin;
  let producer: Producer;
  let engine: TestEngine;
  let url: string;
  let tokens: TokenServer;
  const account = { username: 'tollgate', password: 'the secret of a client' };

  before(async function () {
    this.timeout(600_000); // the first run downloads the broker's jars
    tokens = await startTokenServer(account);
    const { keysUrl, issuer, audience } = tokens;
    server = await orSkip(this, () => startKafka({ encrypted: true, tokens: { keysUrl, issuer, audience } }));
    url = `kafka://${server.brokers.join(',')}`;
    const client = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING });
    admin = client.admin();
    producer = client.producer({ allowAutoTopicCreation: false, createPartitioner: Partitioners.DefaultPartitioner });
    await Promise.all([admin.connect(), producer.connect()]);
    engine = {
      url,
      sessionMs: 10_000,
      async publishRaw(topic, key, value) {
        await producer.send({ topic, acks: -1, messages: [{ key, value }] });
      },
      async deleteTopic(topic) {
        await admin.deleteTopics({ topics: [topic] });
        await eventually(async () => expect(await admin.listTopics()).not.to.include(topic));
      },
      kill9: server.kill9,
      restart: server.restart,
      stop: server.stop,
    };
  });
  after(async () => {
    await tokens?.stop();
    if (!server) return;
    await Promise.all([admin.disconnect(), producer.disconnect()]);
    await server.stop();
  });

  busContract(() => engine);

  it('reads from its beginning a topic that was made again, though an offset of the old one was committed for it later', async () => {
    const topic = freshTopic();
    const bus = await openBus(url, { partitions: 1 });
    await bus.publish(topic, numbered(10, 1));
    const zombieOffset = { partition: 0, offset: '5', metadata: '0123456789abcdef' };
    const zombie = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING }).consumer({ groupId: 'g-zombie' });
    await zombie.connect();
    await zombie.subscribe({ topics: [topic.name] });
    await zombie.run({ autoCommit: false, eachMessage: async () => undefined });
    await eventually(() => zombie.commitOffsets([{ topic: topic.name, ...zombieOffset }]), { timeoutMs: 20_000 });
    await zombie.disconnect();
    expect(await bus.lag(topic, 'g-zombie')).to.equal(10);
    const seen = new Recorder();
    const consumption = await bus.consume({ topic, group: 'g-zombie', handleBatch: seen.handleBatch });
    await eventually(() => expect(seen.ofKey('user-0')).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), { timeoutMs: 20_000 });
    await consumption.stop();
    await bus.close();
  });

  /** kafkajs publishes and consumes; both clients report where the topic is and how far the group has read. */
  async function carryThrough(brokers: string[] | undefined, kafka: KafkaAccess): Promise<void> {
    const topic = freshTopic();
    const bus = await openBus(`kafka://${brokers}`, { partitions: 2, kafka });
    await bus.publish(topic, numbered(10, 1));
    const seen = new Recorder();
    const consumption = await bus.consume({ topic, group: 'g', handleBatch: seen.handleBatch });
    await eventually(() => expect(seen.ofKey('user-0')).to.have.length(10), { timeoutMs: 20_000 });
    await consumption.stop();
    expect(await bus.lag(topic, 'g')).to.equal(0);
    await bus.close();
  }

  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
    it(`logs in by ${mechanism}, with both of its clients`, async () => {
      const { brokers, ...login } = server.guarded;
      await carryThrough(brokers, { sasl: { mechanism, ...login } });
    });

    it(`says at start that the password is wrong, by ${mechanism}`, async () => {
      const { brokers, username } = server.guarded;
      const refused = openBus(`kafka://${brokers}`, { kafka: { sasl: { mechanism, username, password: 'guessed-wrong' } } });
      const { message } = await refused.then(
        () => expect.fail('it logged in'),
        (error: Error) => error,
      );
      expect(message).to.contain('Kafka refuses the login of tollgate').and.contain('KAFKA_PASSWORD').and.not.contain('guessed-wrong');
    });
  }

  it('logs in by a token whose signature the broker checks, with both of its clients, and says at start that the secret or the token is refused', async () => {
    const { brokers } = server.guarded;
    const sasl = { mechanism: 'oauthbearer' as const, ...account, tokenUrl: tokens.url, scope: '' };
    const refusalOf = (login: typeof sasl) =>
      openBus(`kafka://${brokers}`, { kafka: { sasl: login } }).then(
        () => expect.fail('it logged in'),
        (error: Error) => error.message,
      );
    await carryThrough(brokers, { sasl });
    expect(tokens.asked).to.have.length(1);
    expect(await refusalOf({ ...sasl, password: 'guessed-wrong' }))
      .to.contain('KAFKA_PASSWORD')
      .and.to.contain('invalid_client');
    const [nowS, own] = [Math.floor(Date.now() / 1_000), tokens.key];
    for (const [claims, key] of [
      [{ iat: nowS - 7_200, exp: nowS - 3_600 }, own],
      [{ aud: 'something else' }, own],
      [{ iss: 'https://somebody.example' }, own],
      [{}, newKeys().privateKey],
    ] as const) {
      Object.assign(tokens, { claims, key });
      expect(await refusalOf(sasl), JSON.stringify(claims))
        .to.contain('Kafka refuses the login of tollgate')
        .and.to.contain('invalid_token');
    }
  });

  it('reaches brokers by TLS with both of its clients, and only those whose certificate it was told to trust', async () => {
    const { guarded, encrypted } = server;
    const { username, password } = guarded;
    const sasl = { mechanism: 'scram-sha-512' as const, username, password };
    await carryThrough(encrypted?.brokers, { sasl, ssl: { ca: encrypted?.ca } });

    for (const kafka of [{ sasl, ssl: {} }, { sasl }]) {
      const refusal = await openBus(`kafka://${encrypted?.brokers}`, { kafka }).then(
        () => expect.fail('it was let in'),
        (error: Error) => error,
      );
      expect(refusal.message).to.match(/no Kafka broker answers/);
    }
  });

  it('says at start that a login is wanted', async () => {
    const refused = openBus(`kafka://${server.guarded.brokers}`);
    const error = (await refused.then(
      () => expect.fail('it was let in'),
      (failure: Error) => failure,
    )) as Error & { cause?: { cause?: Error } };
    expect(error.cause?.cause?.message).to.contain('KAFKA_SASL_MECHANISM');
  });

  it('refuses a topic that has fewer partitions than it had, and says what to do', async () => {
    const topic = freshTopic();
    const bus = await openBus(url, { partitions: 4 });
    await bus.publish(topic, numbered(1, 1));
    await engine.deleteTopic(topic.name);
    await admin.createTopics({ topics: [{ topic: topic.name, numPartitions: 2 }], waitForLeaders: false });
    await eventually(async () => expect(await admin.listTopics()).to.include(topic.name));
    const later = await openBus(url, { partitions: 4 });
    const refusal = await later.consume({ topic, group: 'g', handleBatch: async () => undefined }).then(
      () => new Error('it was accepted'),
      (error: Error) => error,
    );
    expect(refusal.message).to.match(/has 2 partitions, it had 4 before\. Raise it again \(kafka-topics\.sh --alter/);
    await admin.createPartitions({ topicPartitions: [{ topic: topic.name, count: 4 }] });
    await eventually(async () => expect(await admin.fetchTopicOffsets(topic.name)).to.have.length(4));
    await later.publish(topic, numbered(1, 1));
    await Promise.all([bus.close(), later.close()]);
  });

  it('tells that consuming has ended for good, instead of sitting there idle', async () => {
    const topic = freshTopic();
    const fatal: Error[] = [];
    const bus = await openBus(url, { partitions: 1, onFatal: (error) => fatal.push(error) });
    await bus.publish(topic, numbered(1, 1));
    const assigner: PartitionAssigner = (config) => ({
      ...PartitionAssigners.roundRobin(config),
      name: 'another',
      protocol: () => another,
    });
    const another = {
      name: 'another',
      metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics: [topic.name], userData: Buffer.alloc(0) }),
    };
    const foreign = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING }).consumer({
      groupId: 'taken',
      partitionAssigners: [assigner],
    });
    await foreign.connect();
    await foreign.subscribe({ topics: [topic.name] });
    const joined = new Promise((resolve) => foreign.on(foreign.events.GROUP_JOIN, resolve));
    await foreign.run({ eachMessage: async () => undefined });
    await joined;
    const consumption = await bus.consume({ topic, group: 'taken', handleBatch: async () => undefined });
    await eventually(() => expect(fatal).to.have.length(1), { timeoutMs: 20_000 });
    expect(fatal[0]?.message).to.match(/supported protocols/);
    const service = new ConsumerProcess(url, topic.name, 'taken', 0); // does not catch the error: it reaches the process's handler of uncaught errors
    await eventually(() => expect(service.uncaught).to.deep.equal(['consuming has ended for good']), { timeoutMs: 20_000 });
    service.kill();
    await Promise.all([consumption.stop(), foreign.disconnect()]);
    await bus.close();
  });

  it('starts without a line of warning', async () => {
    const lines: unknown[] = [];
    const note = (data: object, message: string) => lines.push([message, data]);
    const logger: BusLogger = { debug() {}, info() {}, warn: note, error: note };
    const topic = freshTopic();
    const bus = await openBus(url, { logger });
    const seen = new Recorder();
    const [one, two] = await Promise.all([1, 2].map(() => bus.consume({ topic, group: 'quiet', handleBatch: seen.handleBatch })));
    await bus.publish(topic, numbered(10, 10));
    await eventually(() => expect(seen.distinct).to.equal(10), { timeoutMs: 20_000 });
    await Promise.all([one?.stop(), two?.stop()]);
    await bus.close();
    expect(lines).to.deep.equal([]);
  });

  it('says so when no broker answers', async () => {
    const refusal = await openBus('kafka://127.0.0.1:1').then(
      () => new Error('it was accepted'),
      (error: Error) => error,
    );
    expect(refusal.message).to.match(/no Kafka broker answers at 127\.0\.0\.1:1/);
  });
});
