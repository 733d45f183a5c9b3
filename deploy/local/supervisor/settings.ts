import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { fromFiles, mongoUriSetting } from '@tollgate/runtime/start';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

export const repository = join(import.meta.dirname, '../../..');

const port = z.coerce.number().int().min(0).max(65_535);
const processes = z.coerce.number().int().min(1).max(64);
const seconds = z.coerce.number().int().min(1).max(3600);

/** Every setting of the one-machine mode. What a service alone understands travels on to it untouched. */
export const localEnv = z.object({
  PORT: port.default(3000).describe('The public port: web console, API and relay. 0 takes any free one.'),
  HOST: z.string().min(1).default('127.0.0.1').describe('The address the public port listens on. 0.0.0.0 opens it to the network.'),
  DATA_DIR: z
    .string()
    .regex(/^[^~]/, 'must be a whole path: only a shell knows what ~ is')
    .default('.data')
    .describe('Where everything is kept: database, Redis, logs, secrets. Relative to the repository.'),
  MONGODB_URI: mongoUriSetting
    .optional()
    .describe('A MongoDB to use instead of the bundled store; it names its database: mongodb://host:27017/tollgate.'),
  REDIS_URL: z
    .string()
    .regex(/^(rediss?:\/\/|\/)/, 'must begin with redis:// or rediss://, or be the path of a Unix socket')
    .optional()
    .describe(
      'A Redis to use instead of the one started here: redis://..., or /path/redis.sock?password=... Its maxmemory-policy must be noeviction.',
    ),
  REDIS_APPENDFSYNC: z
    .enum(['everysec', 'always'])
    .default('everysec')
    .describe('When the Redis started here flushes to disk. A power cut may cost the last second with everysec; always is slower.'),
  BUS_URL: z
    .string()
    .regex(/^((rediss?|kafka):\/\/|\/)/, 'must begin with redis://, rediss:// or kafka://, or be the path of a Unix socket')
    .optional()
    .describe('The bus of usage events: kafka://host:port,host:port or what REDIS_URL takes. Default: the Redis above.'),
  MASTER_KEY: z
    .string()
    .min(32, 'must be at least 32 bytes as base64 or hex')
    .optional()
    .describe('The key that seals stored secrets. Default: made once and kept in DATA_DIR/secrets.json.'),
  MASTER_KEYS_ALSO: z
    .string()
    .optional()
    .describe(
      'Further master keys, separated by commas, that open what they sealed but seal nothing: older ones, or the next one before its time.',
    ),
  INITIAL_ROOT_PASSWORD: z
    .string()
    .min(6)
    .max(128)
    .optional()
    .describe(
      'The password of the first account, root, when it is made. Default: 123456, which the console asks to change; where HOST is not loopback, one that is made and printed once.',
    ),
  EGRESS_ALLOW: z
    .string()
    .optional()
    .describe('Private networks and host names that channels may reach, as CIDRs and names: 127.0.0.0/8,192.168.0.0/16,ollama.lan'),
  TRUSTED_PROXIES: z.string().optional().describe('CIDRs of the reverse proxies in front, whose X-Forwarded-For is believed.'),
  RELAY_PROCESSES: processes
    .optional()
    .describe('How many relay processes share the calls. Default: one less than the cores, at least 1 and at most 8.'),
  BILLING_PROCESSES: processes.optional().describe('How many billing processes share the usage events. Default: 1; 2 from 8 cores on.'),
  METRICS_PORT: port.default(0).describe('The first of the Prometheus ports, one for each process. 0 switches them off.'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info').describe('What the services write into DATA_DIR/logs.'),
  STOP_TIMEOUT_S: seconds.default(40).describe('How long a process may take to stop before it is killed.'),
  LIVE_TIMEOUT_S: seconds
    .default(60)
    .describe('How long a service may fail to say that it lives (/livez) before it is killed and started again.'),
});
export type Settings = z.output<typeof localEnv> & ProcessCounts;

interface ProcessCounts {
  RELAY_PROCESSES: number;
  BILLING_PROCESSES: number;
}

/** For what is done with the engines of the data folder, and with no others. Throws Refusal. */
export function refuseForeignEngines(settings: Settings): void {
  const named = (['MONGODB_URI', 'REDIS_URL', 'BUS_URL'] as const).filter((name) => settings[name] !== undefined);
  if (named.length === 0) return;
  throw new Refusal(
    `${named.join(', ')} ${named.length === 1 ? 'names an engine' : 'name engines'} of your own, which are backed up by their own means: deploy/BACKUPS.md says what and in which order.`,
  );
}

/**
 * Streams keep the relays busy and little else, so they get all cores but one; each costs about 100 MB idle, and beyond eight the
 * one Redis is what limits. One billing keeps up with what one Redis takes; the second is there for bursts.
 */
export function processesFor(cores: number): ProcessCounts {
  return { RELAY_PROCESSES: Math.min(Math.max(cores - 1, 1), 8), BILLING_PROCESSES: cores >= 8 ? 2 : 1 };
}

/** The environment with `.env` (or the file that ENV_FILE names) behind it, and with what stands in files of its own. Throws Refusal. */
export function environment(): Record<string, string> {
  const { given, problems } = fromFiles(Object.keys(localEnv.shape), { ...settingsFile(process.env.ENV_FILE), ...process.env });
  if (problems.length > 0) throw new Refusal(`These settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  return given;
}

function settingsFile(named: string | undefined): NodeJS.Dict<string> {
  const file = resolve(repository, named || '.env');
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !named) return {};
    throw new Refusal(`The settings in ${file} cannot be read (${code}).${named ? ' ENV_FILE names it.' : ''}`);
  }
}

/** Throws Refusal with the full list of wrong settings, never with their values: they may hold passwords. */
export function readSettings(env: Record<string, string>): Settings {
  const parsed = localEnv.safeParse(env);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new Refusal(`These settings are wrong:\n${lines.join('\n')}`);
  }
  const { DATA_DIR, RELAY_PROCESSES, BILLING_PROCESSES } = parsed.data;
  const byCores = processesFor(availableParallelism());
  return {
    ...parsed.data,
    DATA_DIR: isAbsolute(DATA_DIR) ? DATA_DIR : join(repository, DATA_DIR),
    RELAY_PROCESSES: RELAY_PROCESSES ?? byCores.RELAY_PROCESSES,
    BILLING_PROCESSES: BILLING_PROCESSES ?? byCores.BILLING_PROCESSES,
  };
}
