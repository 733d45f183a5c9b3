import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { KafkaAccess } from '@tollgate/bus';
import {
  datastoreAway,
  kafkaAccess,
  kafkaAccessEnv,
  loadConfig,
  mongoAccess,
  mongoAccessEnv,
  redisAccess,
  redisAccessEnv,
} from '@tollgate/runtime/start';
import type { KafkaConfig } from 'kafkajs';
import type { DataFolder } from './data-folder.ts';
import { bundledStore, localRedis } from './engines.ts';
import { firstInheritedFd, type ProcessSpec } from './managed-process.ts';
import { checkGivenMongo, withoutPassword } from './probe-mongo.ts';
import { checkGivenRedis } from './probe-redis.ts';
import type { PublicPort } from './public-port.ts';
import { NoAnswer, Refusal } from './refusal.ts';
import type { Secrets } from './secrets.ts';
import { serviceSpec } from './services.ts';
import { repository, type Settings } from './settings.ts';

/** What will run: engines first, then services; within a stage the order does not matter. Stopping goes the other way. */
export interface Plan {
  engines: ProcessSpec[];
  services: ProcessSpec[];
  /** Proves that the datastores which the user named can be used. Resolves to what is wrong with those that do not answer. Throws Refusal. */
  checkGiven(): Promise<NoAnswer[]>;
}

interface Surroundings {
  folder: DataFolder;
  secrets: Secrets;
  /** What the processes inherit. */
  env: Record<string, string>;
  publicPort: PublicPort;
}

/** Chooses engines by the settings, sockets for all, and what each service is told. */
export function makePlan(settings: Settings, { folder, secrets, env, publicPort }: Surroundings): Plan {
  const store = settings.MONGODB_URI ? undefined : bundledStore(folder, env);
  const [password, appendfsync] = [secrets.redisPassword, settings.REDIS_APPENDFSYNC];
  const redis = settings.REDIS_URL ? undefined : localRedis(folder, { program: redisProgram(env), password, appendfsync, env });
  const mongodbUri = settings.MONGODB_URI ?? store?.uri ?? '';
  const redisUrl = settings.REDIS_URL ?? redis?.url ?? '';
  const busUrl = settings.BUS_URL ?? redisUrl;
  const shared = {
    ...env,
    ...(store && { MONGODB_CA_FILE: '' }), // the bundled store knows no TLS
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    BUS_URL: busUrl,
    MASTER_KEY: settings.MASTER_KEY ?? secrets.masterKey,
    MASTER_KEYS_ALSO: keysBeside(settings, secrets),
    LOG_LEVEL: settings.LOG_LEVEL,
    NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? folder.compileCache, // halves the CPU time of a start
  };
  return {
    engines: [store?.spec, redis?.spec].filter((spec) => spec !== undefined),
    services: planServices(settings, { shared, folder, publicPort }),
    async checkGiven() {
      const found = await Promise.allSettled([
        settings.MONGODB_URI
          ? checkGivenMongo('MONGODB_URI', settings.MONGODB_URI, mongoAccess(loadConfig(mongoAccessEnv, env)))
          : undefined,
        settings.REDIS_URL ? checkGivenRedis('REDIS_URL', settings.REDIS_URL, redisAccess(loadConfig(redisAccessEnv, env))) : undefined,
        settings.BUS_URL ? checkGivenBus(settings.BUS_URL, settings.REDIS_URL, env) : undefined,
      ]);
      const faults = found.filter((each) => each.status === 'rejected').map(({ reason }) => reason as Error);
      const absences = faults.filter((fault) => fault instanceof NoAnswer);
      const refusal = faults.find((fault) => !(fault instanceof NoAnswer));
      if (refusal !== undefined) throw refusal;
      return absences;
    },
  };
}

/** Where a key is set, the one that was made here goes on opening what it has sealed. */
export function keysBeside({ MASTER_KEY, MASTER_KEYS_ALSO }: Settings, { masterKey }: Secrets): string {
  return [MASTER_KEYS_ALSO, MASTER_KEY === undefined ? undefined : masterKey].filter(Boolean).join(',');
}

type Described = Pick<ProcessSpec, 'env' | 'inherits' | 'launched'>;

interface ServicePlan {
  shared: Record<string, string>;
  folder: DataFolder;
  publicPort: PublicPort;
}

/** Relays come last, and so are stopped first: they are the front. */
function planServices(settings: Settings, { shared, folder, publicPort }: ServicePlan): ProcessSpec[] {
  const metricsPort = metricsPorts(settings.METRICS_PORT);
  const several = (service: string, count: number, describe: (socket: string) => Described) => {
    const specs: ProcessSpec[] = [];
    for (let index = 1; index <= count; index += 1) {
      const name = count === 1 ? service : `${service}-${index}`;
      const socket = join(folder.sockets, `${name}.sock`);
      const { env, ...handed } = describe(socket);
      const given = { ...shared, ...env, METRICS_PORT: metricsPort() };
      specs.push(serviceSpec({ name, folder: service, socket, env: given, ...handed, liveTimeoutMs: settings.LIVE_TIMEOUT_S * 1000 }));
    }
    return specs;
  };
  const billings = several('billing', settings.BILLING_PROCESSES, (socket) => ({ env: { BILLING_PORT: socket } }));
  const consoleSocket = join(folder.sockets, 'console.sock');
  const relays = several('relay', settings.RELAY_PROCESSES, (socket) => ({
    env: { RELAY_PORT: socket, RELAY_PUBLIC_FD: String(firstInheritedFd), CONSOLE_URL: consoleSocket },
    inherits: [publicPort.fd],
    launched: publicPort.follow,
  }));
  const consoles = several('console', 1, () => ({
    env: { CONSOLE_PORT: consoleSocket, PUBLIC_HOST: settings.HOST, WEB_DIR: shared.WEB_DIR ?? join(repository, 'web/dist') },
  }));
  return [...billings, ...consoles, ...relays];
}

async function checkGivenBus(url: string, redisUrl: string | undefined, env: Record<string, string>): Promise<void> {
  if (url.startsWith('kafka://')) return checkGivenKafka(url, kafkaAccess(loadConfig(kafkaAccessEnv, env)));
  const { tls } = redisAccess(loadConfig(redisAccessEnv, env));
  if (url !== redisUrl) await checkGivenRedis('BUS_URL', url, { tls });
}

function metricsPorts(first: number): () => string {
  let next = first;
  return () => String(first === 0 ? 0 : next++);
}

/** The server on PATH. Throws Refusal. */
export function redisProgram(env: Record<string, string>): string {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
      const path = join(folder, name);
      if (isExecutable(path)) return path;
    }
  }
  throw new Refusal('There is no redis-server on PATH. Start with `npm start`, which provides one, or name one with REDIS_URL.');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Reads the cluster's metadata. Loads the Kafka client, and the bus, only where Kafka is used. Throws: Refusal, NoAnswer. */
async function checkGivenKafka(url: string, access: KafkaAccess): Promise<void> {
  const [{ Kafka, logLevel }, { resolveKafkaAccess }] = await Promise.all([import('kafkajs'), import('@tollgate/bus')]);
  const brokers =
    url
      .replace(/^kafka:\/\//, '')
      .split('/')[0]
      ?.split(',') ?? [];
  const enteredBy = await resolveKafkaAccess(access).catch((error: Error) => {
    throw new Refusal(`BUS_URL (${withoutPassword(url)}) does not work: ${error.message}.`);
  });
  const kafka = new Kafka({
    brokers,
    ...(enteredBy as Pick<KafkaConfig, 'sasl' | 'ssl'>),
    clientId: 'tollgate-start',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    retry: { retries: 2 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers: live } = await admin.describeCluster();
    if (live.length === 0) throw new Error('the cluster has no broker');
  } catch (error) {
    const words = `BUS_URL (${withoutPassword(url)}) does not work: ${(error as Error).message}.`;
    throw datastoreAway(error) === undefined ? new Refusal(words) : new NoAnswer(words);
  } finally {
    await admin.disconnect();
  }
}
