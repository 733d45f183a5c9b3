import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { startBundledMongo } from './bundled-mongo.ts';
import type { KafkaServer } from './kafka.ts';
import { startRedis } from './redis.ts';

const socketPath = '/var/run/docker.sock';
const image = 'mongo:8.0';

/** A MongoDB in a container, as a replica set of one node like in production. */
interface ContainerMongo {
  uri: string;
  stop(): Promise<void>;
}

/** Starts a MongoDB container when a Docker engine answers; undefined when none does (told in half a second). */
async function startContainerMongo(): Promise<ContainerMongo | undefined> {
  if (!process.env.DOCKER_HOST && !(await dockerAnswers())) return undefined;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start();
  const initiated = await container.exec([
    'mongosh',
    '--quiet',
    '--eval',
    'rs.initiate(); while (!db.hello().isWritablePrimary) sleep(50);',
  ]);
  if (initiated.exitCode !== 0) throw new Error(`the MongoDB container's replica set did not start: ${initiated.output}`);
  return {
    uri: `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`,
    stop: async () => {
      await container.stop();
    },
  };
}

function dockerAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 500 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', () => resolve(false));
    ping.once('close', () => resolve(false));
    ping.end();
  });
}

/** The engines of one mocha process. Each starts when it is first asked for and ends with the process. */
export interface Engines {
  /** A URI with a database of the caller's own: a fresh one per call, or the named one. Dropped when the run ends. */
  mongodbUri(name?: string): string;
  redisUrl(): Promise<string>;
  /** Rejects with EngineUnavailable where Kafka cannot run (see `orSkip`). */
  kafka(): Promise<KafkaServer>;
  /** `external`: a real MongoDB, named by TEST_MONGODB_URI or MONGODB_URI or in a container. */
  mongoKind: 'bundled' | 'external';
}

interface Mongo {
  uri: string;
  kind: 'bundled' | 'external';
  stop(): Promise<void>;
}

const running: Partial<{ mongo: Promise<Mongo>; redis: Promise<{ url: string; stop(): Promise<void> }>; kafka: Promise<KafkaServer> }> = {};
const databases = new Set<string>();

/** The engines of this process. Only the store is started by the call itself; TEST_* variables name engines to reuse. */
export async function engines(): Promise<Engines> {
  running.mongo ??= startMongo();
  const mongo = await running.mongo;
  return { mongoKind: mongo.kind, mongodbUri: (name) => databaseUri(mongo.uri, name), redisUrl: sharedRedisUrl, kafka: sharedKafka };
}

/** The URL of this process's redis-server (or of TEST_REDIS_URL), for suites that need no store. */
export async function sharedRedisUrl(): Promise<string> {
  running.redis ??= process.env.TEST_REDIS_URL
    ? Promise.resolve({ url: process.env.TEST_REDIS_URL, stop: async () => undefined })
    : startRedis();
  return (await running.redis).url;
}

/** This process's Kafka (or TEST_KAFKA_BROKERS), for suites that need no store. Rejects with EngineUnavailable. */
export function sharedKafka(): Promise<KafkaServer> {
  running.kafka ??= process.env.TEST_KAFKA_BROKERS
    ? Promise.resolve(borrowedKafka(process.env.TEST_KAFKA_BROKERS))
    : import('./kafka.ts').then(({ startKafka }) => startKafka());
  return running.kafka;
}

/** Drops the databases that tests made and stops every engine that this process started. */
export async function closeEngines(): Promise<void> {
  const { mongo, redis, kafka } = running;
  delete running.mongo;
  delete running.redis;
  delete running.kafka;
  const closings = [
    mongo?.then(async (store) => {
      if (store.kind === 'external') await dropDatabases();
      databases.clear();
      await store.stop();
    }),
    redis?.then((server) => server.stop()),
    // One that never started was reported to the suite that asked for it.
    kafka?.then(
      (broker) => broker.stop(),
      () => undefined,
    ),
  ];
  const failed = (await Promise.allSettled(closings)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function startMongo(): Promise<Mongo> {
  const { TEST_MONGODB_URI, TEST_MONGODB_KIND, MONGODB_URI } = process.env;
  const given = TEST_MONGODB_URI ?? MONGODB_URI;
  if (given) return { uri: given, kind: TEST_MONGODB_KIND === 'bundled' ? 'bundled' : 'external', stop: async () => undefined };
  const container = await startContainerMongo();
  if (container) return { ...container, kind: 'external' };
  return { ...(await startBundledMongo()), kind: 'bundled' };
}

function databaseUri(base: string, name = `test_${randomBytes(6).toString('hex')}`): string {
  const uri = new URL(base);
  uri.pathname = `/${name}`;
  databases.add(uri.href);
  return uri.href;
}

async function dropDatabases(): Promise<void> {
  const { mongo } = await import('mongoose');
  for (const uri of databases) {
    const client = await mongo.MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 });
    await client.db().dropDatabase();
    await client.close();
  }
}

function borrowedKafka(brokers: string): KafkaServer {
  const refuse = () => Promise.reject(new Error('TEST_KAFKA_BROKERS names a broker that others use: it is neither killed nor restarted'));
  return { brokers: brokers.split(','), pid: 0, kill9: refuse, restart: refuse, proxied: refuse, stop: async () => undefined };
}
