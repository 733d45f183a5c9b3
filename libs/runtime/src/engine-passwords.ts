import type { z } from 'zod';
import { ConfigError, isLoopback, loadConfig } from './config.ts';
import { endProcess } from './end-process.ts';
import { createLogger } from './logger.ts';
import type { serviceEnv } from './service-env.ts';

type Engines = Pick<z.output<typeof serviceEnv>, 'HOST' | 'MONGODB_URI' | 'REDIS_URL' | 'REDIS_SENTINELS' | 'ENGINES_WITHOUT_PASSWORD'> &
  Partial<Pick<z.output<typeof serviceEnv>, 'BUS_URL' | 'KAFKA_USERNAME' | 'KAFKA_PASSWORD'>>;
type Engine = Engines['ENGINES_WITHOUT_PASSWORD'][number];

/**
 * Loads a service's settings like `loadConfig`. A service that listens beyond this machine refuses datastores without a password, unless
 * `ENGINES_WITHOUT_PASSWORD` names them.
 */
export function loadServiceConfig<T extends z.ZodObject>(
  schema: z.output<T> extends Engines ? T : never,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const config = loadConfig<T>(schema, environment);
  const problems = openEngines(config as unknown as Engines);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Loads the settings at the start. Invalid settings are logged in one line, and the process exits with 1. */
export async function settingsAtStart<T extends z.ZodObject>(
  service: string,
  schema: z.output<T> extends Engines ? T : never,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<z.output<T>> {
  try {
    return loadServiceConfig<T>(schema, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    createLogger({ service, level: 'fatal' }).fatal(error.message);
    return endProcess(1);
  }
}

/** Missing passwords of datastores, by setting. */
export function openEngines(config: Engines): string[] {
  if (isLoopback(config.HOST)) return [];
  const problems: string[] = [];
  const check = (setting: keyof Engines, engine: Engine, { hosts, hasPassword }: Access) => {
    if (hasPassword || hosts.every(isOnThisMachine) || config.ENGINES_WITHOUT_PASSWORD.includes(engine)) return;
    problems.push(`${setting}: ${engine} is entered without a password. Give it one, or say ENGINES_WITHOUT_PASSWORD=${engine}`);
  };
  check('MONGODB_URI', 'mongodb', mongoAccessOf(config.MONGODB_URI));
  const redis = redisAccessOf(config.REDIS_URL);
  const sentinels = config.REDIS_SENTINELS.map(({ host }) => host);
  check('REDIS_URL', 'redis', sentinels.length > 0 ? { ...redis, hosts: sentinels } : redis);
  if (config.BUS_URL === undefined) return problems;
  if (config.BUS_URL.startsWith('kafka:')) check('KAFKA_USERNAME', 'kafka', kafkaAccessOf(config));
  else if (config.BUS_URL !== config.REDIS_URL) check('BUS_URL', 'redis', redisAccessOf(config.BUS_URL));
  return problems;
}

interface Access {
  hosts: string[];
  hasPassword: boolean;
}

/** A certificate or a cloud role counts as a password. https://www.mongodb.com/docs/manual/reference/connection-string/ */
function mongoAccessOf(uri: string): Access {
  const [, authority = ''] = /^mongodb(?:\+srv)?:\/\/([^/?]*)/.exec(uri) ?? [];
  const [hosts = '', login] = authority.split('@').toReversed();
  const byCertificate = /[?&](authMechanism|tlsCertificateKeyFile)=/i.test(uri);
  return { hosts: hosts.split(','), hasPassword: login?.includes(':') === true || byCertificate };
}

function redisAccessOf(url: string): Access {
  if (url.startsWith('/')) return { hosts: [url], hasPassword: false };
  const { hostname, password } = new URL(url);
  return { hosts: [hostname], hasPassword: password !== '' };
}

function kafkaAccessOf({ BUS_URL = '', KAFKA_USERNAME = '', KAFKA_PASSWORD = '' }: Engines): Access {
  return { hosts: BUS_URL.slice('kafka://'.length).split(','), hasPassword: KAFKA_USERNAME !== '' && KAFKA_PASSWORD !== '' };
}

/** `host`, `host:port`, `[::1]:port`, or the path of a socket, URL-encoded for MongoDB. */
function isOnThisMachine(host: string): boolean {
  if (host.startsWith('/') || /^%2f/i.test(host)) return true;
  return isLoopback(host.replace(/^\[([^\]]*)\].*$/, '$1').replace(/^([^:]*):\d+$/, '$1'));
}
