import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, listSetting, logLevelSetting, masterKeySetting, masterKeysSetting, portSetting } from './config.ts';
import { egressListSetting } from './egress-policy.ts';

/** Access to Kafka, when BUS_URL names it. */
export const kafkaAccessEnv = z.object({
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']).default('scram-sha-512'), // the SASL mechanism for KAFKA_USERNAME
  KAFKA_USERNAME: z.string().default(''), // the Kafka account; empty: no authentication
  KAFKA_PASSWORD: z.string().default(''), // its password
  KAFKA_OAUTH_TOKEN_URL: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''), // the OAuth server that exchanges KAFKA_USERNAME and KAFKA_PASSWORD (client id and secret) for a token when KAFKA_SASL_MECHANISM is oauthbearer
  KAFKA_OAUTH_SCOPE: z.string().default(''), // the OAuth scope to request; empty: none
  KAFKA_TLS: z.stringbool().default(false), // connects to the brokers over TLS; untrusted certificates are refused
  KAFKA_CA_FILE: z.string().default(''), // a PEM file with the brokers' certificate authorities; empty: those that Node trusts
});

/** The access options for `openBus`. Throws a ConfigError when the file cannot be read or the token server is missing. */
export function kafkaAccess(env: z.output<typeof kafkaAccessEnv>) {
  return { sasl: kafkaLogin(env), ssl: env.KAFKA_TLS ? { ca: certificatesIn('KAFKA_CA_FILE', env.KAFKA_CA_FILE) } : undefined };
}

function kafkaLogin(env: z.output<typeof kafkaAccessEnv>) {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_OAUTH_TOKEN_URL: tokenUrl } = env;
  if (mechanism !== 'oauthbearer') return username === '' ? undefined : { mechanism, username, password };
  const missing = (['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'] as const).filter((name) => env[name] === '');
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: is missing, and KAFKA_SASL_MECHANISM is oauthbearer`));
  return { mechanism, username, password, tokenUrl, scope: env.KAFKA_OAUTH_SCOPE };
}

function certificatesIn(setting: string, file: string): string | undefined {
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}

/** Addresses that may be called in addition to public ones, by the origin of the address; see `openEgress`. */
export const egressEnv = z.object({
  EGRESS_ALLOW: egressListSetting, // private networks and host names that channels may reach, as CIDRs and names: 127.0.0.0/8,192.168.0.0/16,ollama.lan
  EGRESS_ALLOW_SERVICES: egressListSetting, // the same for the operator's own services: sign-in providers, the mail server, the worker, webhooks of administrators; empty: the value of EGRESS_ALLOW
  EGRESS_ALLOW_USERS: egressListSetting, // the same for addresses from callers and users: files by URL, webhooks; empty: public addresses only
});

/** Access to MongoDB beyond its URI. */
export const mongoAccessEnv = z.object({
  MONGODB_CA_FILE: z.string().default(''), // a PEM file with MongoDB's certificate authorities, which also turns TLS on; empty: those that Node trusts, and TLS if the URI says so
});

/** The access options for MongoDB's driver. Throws a ConfigError when the file cannot be read. */
export function mongoAccess({ MONGODB_CA_FILE: file }: z.output<typeof mongoAccessEnv>): { tls?: true; ca?: string } {
  const ca = certificatesIn('MONGODB_CA_FILE', file);
  return ca === undefined ? {} : { tls: true, ca };
}

const sentinelsSetting = listSetting.transform((entries, context) =>
  entries.map((entry) => {
    const [, host = '', port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
    if (host === '') context.addIssue({ code: 'custom', message: `${entry} is no host:port` });
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? 26_379) };
  }),
);

/** Access to Redis beyond its URL. */
export const redisAccessEnv = z.object({
  REDIS_CA_FILE: z.string().default(''), // a PEM file with Redis's certificate authorities, for rediss://; empty: those that Node trusts
  REDIS_SENTINELS: sentinelsSetting, // comma-separated host:port of the sentinels that know the primary; replaces the host in REDIS_URL, whose credentials still apply
  REDIS_SENTINEL_NAME: z.string().default('mymaster'), // the sentinels' name of the primary
  REDIS_SENTINEL_PASSWORD: z.string().default(''), // the sentinels' own password; empty: none
});

/**
 * The access options for ioredis. A primary that was demoted rejects scripts before they write, so their commands are retried at the new
 * primary. Throws a ConfigError when the file cannot be read.
 */
export function redisAccess(env: z.output<typeof redisAccessEnv>) {
  const { REDIS_CA_FILE: file, REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: sentinelPassword } = env;
  const ca = certificatesIn('REDIS_CA_FILE', file);
  const tls = ca === undefined ? {} : { tls: { ca } };
  if (sentinels.length === 0) return tls;
  return {
    ...tls,
    sentinels,
    name,
    ...(sentinelPassword !== '' && { sentinelPassword }),
    failoverDetector: true,
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
  };
}

const engineListSetting = listSetting.pipe(z.array(z.enum(['mongodb', 'redis', 'kafka'])));

/**
 * A MongoDB URI with a database name. Without one, drivers use `test`, which backups do not cover:
 * https://www.mongodb.com/docs/manual/reference/connection-string-formats/
 */
export const mongoUriSetting = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\//, { error: 'must begin with mongodb:// or mongodb+srv://', abort: true })
  .regex(/^[a-z+]+:\/\/[^/?]+\/[^/?]+(\?|$)/, {
    error:
      'names no database: add one behind the hosts, as in mongodb://host:27017/tollgate (with ?authSource=admin where its user is kept in admin; what ran without a name so far has its data in /test)',
  });

/** The settings of every service. */
export const serviceEnv = z.object({
  MONGODB_URI: mongoUriSetting,
  REDIS_URL: z.string().regex(/^(rediss?:\/\/|\/)/, 'must begin with redis:// or rediss://, or be the path of a Unix socket'),
  BUS_URL: z
    .string()
    .regex(/^((rediss?|kafka):\/\/|\/)/, 'must begin with redis://, rediss:// or kafka://, or be the path of a Unix socket'),
  ...mongoAccessEnv.shape,
  ...redisAccessEnv.shape,
  ...kafkaAccessEnv.shape,
  ENGINES_WITHOUT_PASSWORD: engineListSetting, // which of mongodb, redis and kafka may deliberately have no password when HOST is not loopback
  MASTER_KEY: masterKeySetting, // all other keys are derived from it; losing it loses all sealed secrets
  MASTER_KEYS_ALSO: masterKeysSetting, // further master keys, comma-separated, that open sealed secrets but seal none: older ones, or the next one in advance
  HOST: z.string().default('127.0.0.1'), // the address that the service listens on
  METRICS_PORT: portSetting.default(0), // the port of Prometheus metrics; 0: off
  METRICS_HOST: z.string().default('127.0.0.1'), // the address of the metrics server
  LOG_LEVEL: logLevelSetting,
});

/** Redis access options for the bus. Sentinels apply only when the bus is the server of `REDIS_URL`. */
export function busAccess(env: Omit<z.output<typeof serviceEnv>, 'MASTER_KEY' | 'MASTER_KEYS_ALSO'>) {
  const { tls, ...sentinels } = redisAccess(env);
  return { kafka: kafkaAccess(env), redis: env.BUS_URL === env.REDIS_URL ? { tls, ...sentinels } : { tls } };
}
