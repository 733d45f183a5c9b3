import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { bundledStore, localRedis } from './engines.ts';
import type { ProcessSpec } from './managed-process.ts';
import { freePorts } from './ports.ts';
import { checkGivenKafka } from './probe-kafka.ts';
import { checkGivenMongo } from './probe-mongo.ts';
import { checkGivenRedis } from './probe-redis.ts';
import { Refusal } from './refusal.ts';
import type { Secrets } from './secrets.ts';
import { serviceSpec } from './services.ts';
import { repository, type Settings } from './settings.ts';

/** What will run: engines first, then services; within a stage the order does not matter. Stopping goes the other way. */
export interface Plan {
  engines: ProcessSpec[];
  services: ProcessSpec[];
  /** Proves that the engines which the user named can be used. Throws Refusal. */
  checkGiven(): Promise<void>;
}

interface Surroundings {
  folder: DataFolder;
  secrets: Secrets;
  /** What the processes inherit. */
  env: Record<string, string>;
  publicPort: number;
}

/** Chooses engines by the settings, ports on loopback for the services, and what each is told. */
export async function makePlan(settings: Settings, { folder, secrets, env, publicPort }: Surroundings): Promise<Plan> {
  const ports = await freePorts(settings.BILLING_PROCESSES + settings.RELAY_PROCESSES);
  const nextPort = () => ports.pop() ?? 0;
  const store = settings.MONGODB_URI ? undefined : bundledStore(folder, env);
  const [password, appendfsync] = [secrets.redisPassword, settings.REDIS_APPENDFSYNC];
  const redis = settings.REDIS_URL ? undefined : localRedis(folder, { program: redisProgram(env), password, appendfsync, env });
  const mongodbUri = settings.MONGODB_URI ?? store?.uri ?? '';
  const redisUrl = settings.REDIS_URL ?? redis?.url ?? '';
  const busUrl = settings.BUS_URL ?? redisUrl;
  const shared = {
    ...env,
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    BUS_URL: busUrl,
    MASTER_KEY: settings.MASTER_KEY ?? secrets.masterKey,
    LOG_LEVEL: settings.LOG_LEVEL,
  };
  return {
    engines: [store?.spec, redis?.spec].filter((spec) => spec !== undefined),
    services: planServices(settings, { shared, publicPort, nextPort }),
    async checkGiven() {
      await Promise.all([
        settings.MONGODB_URI ? checkGivenMongo(settings.MONGODB_URI) : undefined,
        settings.REDIS_URL ? checkGivenRedis('REDIS_URL', settings.REDIS_URL) : undefined,
        settings.BUS_URL ? checkGivenBus(settings.BUS_URL, settings.REDIS_URL) : undefined,
      ]);
    },
  };
}

interface ServicePlan {
  shared: Record<string, string>;
  publicPort: number;
  nextPort(): number;
}

function planServices(settings: Settings, { shared, publicPort, nextPort }: ServicePlan): ProcessSpec[] {
  const metricsPort = metricsPorts(settings.METRICS_PORT);
  const several = (folder: string, count: number, envFor: (port: number) => Record<string, string>) => {
    const specs: ProcessSpec[] = [];
    for (let index = 1; index <= count; index += 1) {
      const port = nextPort();
      const env = { ...shared, ...envFor(port), METRICS_PORT: metricsPort() };
      specs.push(serviceSpec({ name: count === 1 ? folder : `${folder}-${index}`, folder, port, env }));
    }
    return specs;
  };
  const billings = several('billing', settings.BILLING_PROCESSES, (port) => ({ BILLING_PORT: String(port), HOST: '127.0.0.1' }));
  const relays = several('relay', settings.RELAY_PROCESSES, (port) => ({
    RELAY_PORT: String(port),
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: ['127.0.0.0/8', '::1/128', settings.TRUSTED_PROXIES].filter(Boolean).join(','), // the console stands in front
  }));
  const console = serviceSpec({
    name: 'console',
    folder: 'console',
    port: publicPort,
    host: settings.HOST,
    env: {
      ...shared,
      CONSOLE_PORT: String(publicPort),
      HOST: settings.HOST,
      PUBLIC_HOST: settings.HOST,
      RELAY_URL: relays.map(({ address }) => address).join(','),
      WEB_DIR: join(repository, 'web/dist'),
      METRICS_PORT: metricsPort(),
    },
  });
  return [...billings, ...relays, console];
}

function checkGivenBus(url: string, redisUrl: string | undefined): Promise<void> | undefined {
  if (url.startsWith('kafka://')) return checkGivenKafka(url);
  return url === redisUrl ? undefined : checkGivenRedis('BUS_URL', url);
}

function metricsPorts(first: number): () => string {
  let next = first;
  return () => String(first === 0 ? 0 : next++);
}

function redisProgram(env: Record<string, string>): string {
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
