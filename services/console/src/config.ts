import { addressListSetting, egressEnv, isLoopback, listenSetting, listSetting, serviceEnv } from '@tollgate/runtime';
import { z } from 'zod';
import { turnstileAddress } from './auth/turnstile.ts';

const ofTheBus = {
  BUS_URL: true,
  KAFKA_SASL_MECHANISM: true,
  KAFKA_USERNAME: true,
  KAFKA_PASSWORD: true,
  KAFKA_OAUTH_TOKEN_URL: true,
  KAFKA_OAUTH_SCOPE: true,
  KAFKA_TLS: true,
  KAFKA_CA_FILE: true,
} as const;

/** Every setting of the console. Those of the bus are not among them: the console neither publishes nor consumes events. */
export const consoleEnv = serviceEnv.omit(ofTheBus).extend({
  CONSOLE_PORT: listenSetting.default(3000), // where the console listens: a port, or the path of a Unix socket, whose callers' X-Forwarded-* headers are believed
  WEB_DIR: z.string().default(''), // the built web pages; empty serves none
  TRUSTED_PROXIES: addressListSetting, // addresses and CIDR blocks whose X-Forwarded-* headers are believed
  ...egressEnv.shape,
  INITIAL_ROOT_PASSWORD: z.string().min(6).max(128).optional(), // of the account `root`, when it is first made; default: 123456 on loopback, else one that is printed
  PUBLIC_HOST: z.string().optional(), // the address of the public port, where another process holds it; default: HOST
  CONSOLE_HOSTS: listSetting, // host names that the console answers to, besides loopback, IP addresses and the option ServerAddress
  GENERATE_DEFAULT_TOKEN: z.stringbool().default(false), // whoever registers with a password finds a first token
  CHANNEL_TEST_FREQUENCY: z.coerce.number().nonnegative().default(0), // minutes between two tests of all channels; 0 is never
  CHANNEL_UPDATE_FREQUENCY: z.coerce.number().nonnegative().default(0), // minutes between two updates of all channels' balances; 0 is never
  TURNSTILE_ADDRESS: z.url().default(turnstileAddress), // where a solved Turnstile is verified; default: Cloudflare
  STRIPE_ADDRESS: z.url().default('https://api.stripe.com'), // where Stripe is asked
  NOTIFY_LIMIT_COUNT: z.coerce.number().int().positive().default(2), // notices of one kind that somebody gets in NOTIFICATION_LIMIT_DURATION_MINUTE
  NOTIFICATION_LIMIT_DURATION_MINUTE: z.coerce.number().positive().default(10), // minutes
  API_REQUESTS_PER_MINUTE: z.coerce.number().int().nonnegative().default(1200), // per address, to /api; 0 is no limit
});
export type ConsoleEnv = z.infer<typeof consoleEnv>;

/** Whether nobody but this machine can reach the console. */
export function isLocalOnly({ HOST, PUBLIC_HOST = HOST }: ConsoleEnv): boolean {
  return isLoopback(HOST) && isLoopback(PUBLIC_HOST);
}
