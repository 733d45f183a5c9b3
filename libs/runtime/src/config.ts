import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { addressList, isAddressOrBlock } from './address-list.ts';

/**
 * The settings of a process, from its environment. An empty variable counts as one that is not set.
 * Throws a ConfigError that lists all that is wrong at once, by variable; values are not repeated, they may be secrets.
 */
export function loadConfig<T extends z.ZodObject>(schema: T, environment: Readonly<Record<string, string | undefined>>): z.output<T> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

/** Settings that a process cannot start with. */
export class ConfigError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(`Some settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** A comma separated list; empty entries do not count. */
export const listSetting = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

/** Addresses and CIDR blocks, separated by commas. */
export const addressListSetting = listSetting.transform((entries, context) => {
  const wrong = entries.find((entry) => !isAddressOrBlock(entry));
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: `${wrong} is neither an IP address nor a CIDR block` });
  return addressList(entries);
});

/** The key that all other keys are derived from: at least 32 bytes, as hex or base64. */
export const masterKeySetting = z.string().transform((text, context) => {
  const bytes = /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (bytes.length >= 32 && new Set(bytes).size > 8) return bytes;
  context.addIssue({ code: 'custom', message: 'must be at least 32 random bytes, as hex or base64 (openssl rand -hex 32)' });
  return z.NEVER;
});

/** Whether only this machine can reach what listens there. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

export const portSetting = z.coerce.number().int().min(0).max(65_535);
export const logLevelSetting = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info');

/** How Kafka is entered, where BUS_URL names one. */
export const kafkaAccessEnv = z.object({
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).default('scram-sha-512'), // how KAFKA_USERNAME logs in
  KAFKA_USERNAME: z.string().default(''), // the account at Kafka; empty: no login
  KAFKA_PASSWORD: z.string().default(''), // its password
  KAFKA_TLS: z.stringbool().default(false), // whether the brokers are reached by TLS; a certificate that is not trusted is refused
  KAFKA_CA_FILE: z.string().default(''), // a file with the certificates (PEM) of who signs the brokers'; empty: those that Node trusts
});

/** The same as `openBus` takes it. Throws when the file cannot be read. */
export function kafkaAccess(env: z.output<typeof kafkaAccessEnv>) {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_CA_FILE: file } = env;
  return {
    sasl: username === '' ? undefined : { mechanism, username, password },
    ssl: env.KAFKA_TLS ? { ca: file === '' ? undefined : readFileSync(file, 'utf8') } : undefined,
  };
}

/** What every service reads. */
export const serviceEnv = z.object({
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  REDIS_URL: z.string().regex(/^(rediss?:\/\/|\/)/, 'must begin with redis:// or rediss://, or be the path of a Unix socket'),
  BUS_URL: z
    .string()
    .regex(/^((rediss?|kafka):\/\/|\/)/, 'must begin with redis://, rediss:// or kafka://, or be the path of a Unix socket'),
  ...kafkaAccessEnv.shape,
  MASTER_KEY: masterKeySetting, // every other key is derived from it; losing it loses all sealed secrets
  HOST: z.string().default('127.0.0.1'), // the address that the service listens on
  METRICS_PORT: portSetting.default(0), // Prometheus metrics on a port of their own; 0 is off
  METRICS_HOST: z.string().default('127.0.0.1'), // the address that the metrics listen on
  LOG_LEVEL: logLevelSetting,
});
