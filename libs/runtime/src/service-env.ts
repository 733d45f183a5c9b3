import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, listSetting, logLevelSetting, masterKeySetting, masterKeysSetting, portSetting } from './config.ts';
import { egressListSetting } from './egress-policy.ts';

/** How Kafka is entered, where BUS_URL names one. */
export const kafkaAccessEnv = z.object({
  KAFKA_SASL_MECHANISM: z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']).default('scram-sha-512'), // how KAFKA_USERNAME logs in
  KAFKA_USERNAME: z.string().default(''), // the account at Kafka; empty: no login
  KAFKA_PASSWORD: z.string().default(''), // its password
  KAFKA_OAUTH_TOKEN_URL: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''), // where KAFKA_USERNAME and KAFKA_PASSWORD, a client's id and secret, are changed for a token when KAFKA_SASL_MECHANISM is oauthbearer
  KAFKA_OAUTH_SCOPE: z.string().default(''), // the scope that is asked for there; empty: none is named
  KAFKA_TLS: z.stringbool().default(false), // whether the brokers are reached by TLS; a certificate that is not trusted is refused
  KAFKA_CA_FILE: z.string().default(''), // a file with the certificates (PEM) of who signs the brokers'; empty: those that Node trusts
});

/** The same as `openBus` takes it. Throws a ConfigError when the file cannot be read, or it is not said where tokens come from. */
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

/** What may be called beside public addresses, by who typed the address; see `openEgress`. */
export const egressEnv = z.object({
  EGRESS_ALLOW: egressListSetting, // private networks and host names that channels may reach, as CIDRs and names: 127.0.0.0/8,192.168.0.0/16,ollama.lan
  EGRESS_ALLOW_SERVICES: egressListSetting, // the same for the operator's own services: sign-in providers, the worker, webhooks of administrators; empty: what EGRESS_ALLOW names
  EGRESS_ALLOW_USERS: egressListSetting, // the same for what callers and users name: files by URL, webhooks; empty: public addresses only
});

/** How MongoDB is reached, as far as its address does not say it. */
export const mongoAccessEnv = z.object({
  MONGODB_CA_FILE: z.string().default(''), // a file with the certificates (PEM) of who signs MongoDB's, which is then reached by TLS; empty: those that Node trusts, and TLS where the address says so
});

/** The same as MongoDB's driver takes it beside an address. Throws a ConfigError when the file cannot be read. */
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

/** How Redis is reached, as far as its address does not say it. */
export const redisAccessEnv = z.object({
  REDIS_CA_FILE: z.string().default(''), // a file with the certificates (PEM) of who signs Redis's, for rediss://; empty: those that Node trusts
  REDIS_SENTINELS: sentinelsSetting, // host:port of the sentinels that know the primary, separated by commas; the host in REDIS_URL does not count then, its login does
  REDIS_SENTINEL_NAME: z.string().default('mymaster'), // what the sentinels call the primary
  REDIS_SENTINEL_PASSWORD: z.string().default(''), // the sentinels' own password; empty: none
});

/**
 * The same as ioredis takes it beside an address. A primary that has become a replica refuses to write before a script has written
 * anything: what it was asked is asked of the new one. Throws a ConfigError when the file cannot be read.
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
 * A MongoDB URI that names its database. Drivers take one that names none for `test`, where nobody looks for it or backs it up:
 * https://www.mongodb.com/docs/manual/reference/connection-string-formats/
 */
export const mongoUriSetting = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\//, { error: 'must begin with mongodb:// or mongodb+srv://', abort: true })
  .regex(/^[a-z+]+:\/\/[^/?]+\/[^/?]+(\?|$)/, {
    error:
      'names no database: add one behind the hosts, as in mongodb://host:27017/tollgate (with ?authSource=admin where its user is kept in admin; what ran without a name so far has its data in /test)',
  });

/** What every service reads. */
export const serviceEnv = z.object({
  MONGODB_URI: mongoUriSetting,
  REDIS_URL: z.string().regex(/^(rediss?:\/\/|\/)/, 'must begin with redis:// or rediss://, or be the path of a Unix socket'),
  BUS_URL: z
    .string()
    .regex(/^((rediss?|kafka):\/\/|\/)/, 'must begin with redis://, rediss:// or kafka://, or be the path of a Unix socket'),
  ...mongoAccessEnv.shape,
  ...redisAccessEnv.shape,
  ...kafkaAccessEnv.shape,
  ENGINES_WITHOUT_PASSWORD: engineListSetting, // of mongodb, redis and kafka those that may be entered without a password, on purpose, where HOST is not loopback
  MASTER_KEY: masterKeySetting, // every other key is derived from it; losing it loses all sealed secrets
  MASTER_KEYS_ALSO: masterKeysSetting, // further master keys, separated by commas, that open what they sealed but seal nothing: older ones, or the next one before its time
  HOST: z.string().default('127.0.0.1'), // the address that the service listens on
  METRICS_PORT: portSetting.default(0), // Prometheus metrics on a port of their own; 0 is off
  METRICS_HOST: z.string().default('127.0.0.1'), // the address that the metrics listen on
  LOG_LEVEL: logLevelSetting,
});

/** The same for a bus on Redis: another server than `REDIS_URL` is reached without sentinels. */
export function busAccess(env: Omit<z.output<typeof serviceEnv>, 'MASTER_KEY' | 'MASTER_KEYS_ALSO'>) {
  const { tls, ...sentinels } = redisAccess(env);
  return { kafka: kafkaAccess(env), redis: env.BUS_URL === env.REDIS_URL ? { tls, ...sentinels } : { tls } };
}
