import { openAnnouncer, presenceOf, watchNotices } from '@tollgate/bus';
import { configureSealing, connectDatabase, disconnectDatabase, migrate, pingDatabase, refuseForeignMasterKey } from '@tollgate/db';
import { openOptions, watchOptions } from '@tollgate/options';
import {
  imageLinks,
  type Logger,
  mongoAccess,
  type OnStop,
  openEgress,
  openWhenReached,
  playgroundPasses,
  redisAccess,
  repeat,
  watchDatastores,
  watchProxies,
} from '@tollgate/runtime';
import { connectRedis, openWallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import { createApp } from './app.ts';
import { createDevices } from './auth/devices.ts';
import { ensureFirstRoot } from './auth/first-root.ts';
import { signInLimits } from './auth/limits.ts';
import { mailCodes } from './auth/mail-codes.ts';
import { createPasswords } from './auth/passwords.ts';
import { secondSteps } from './auth/second-steps.ts';
import { createSessions } from './auth/sessions.ts';
import { type ConsoleEnv, isLocalOnly } from './config.ts';
import type { Context } from './context.ts';
import { reviewFailures } from './features/channels/automatic-status.ts';
import { digestOlderKeys } from './features/channels/change.ts';
import { channelFacets } from './features/channels/facets.ts';
import { sealOlderProxies } from './features/channels/proxies.ts';
import { offeredModels } from './features/pricing/offered-models.ts';
import { createOidc } from './features/third-party/oidc.ts';
import { oauthStates } from './features/third-party/states.ts';
import { trustedPeers } from './http/known-hosts.ts';
import { openRefusals } from './http/while-away.ts';
import { openBoard } from './jobs/board.ts';
import { jobs } from './jobs/list.ts';
import { payAllOwed } from './jobs/pay-owed.ts';
import { openSchedules } from './jobs/schedules.ts';
import { openWorker } from './jobs/worker.ts';
import { createMailer } from './mail/mailer.ts';
import { migrations } from './migrations.ts';
import { playgroundPass } from './playground-pass.ts';
import { type ConsoleServer, type Handlers, openPort } from './server.ts';
import { shownQuotas } from './shown-quota.ts';
import { hearHints } from './task-sync/hear-hints.ts';

/** An administrator waits for what is asked of MongoDB. */
const databaseTimeoutMs = 2_000;

/**
 * Opens the port at once and answers there what is missing until MongoDB and Redis are reached; then makes the first account when there is
 * none, and serves. What it opens is registered to be closed.
 */
export async function openConsole(config: ConsoleEnv, { logger, onStop }: { logger: Logger; onStop: OnStop }): Promise<ConsoleServer> {
  configureSealing(config.MASTER_KEY, config.MASTER_KEYS_ALSO);
  const port = await openPort({ port: config.CONSOLE_PORT, host: config.HOST });
  onStop('port', () => port.stop(0));
  const handlers = await openWhenReached((onStopped) => connectConsole(config, { logger, onStop: onStopped }), {
    logger,
    onStop,
    onAway: port.waitFor,
  });
  port.serve(handlers);
  onStop('server', () => port.stop());
  return port;
}

async function connectConsole(config: ConsoleEnv, { logger: log, onStop }: { logger: Logger; onStop: OnStop }): Promise<Handlers> {
  const isTrusted = trustedPeers(config.TRUSTED_PROXIES, { onSocket: typeof config.CONSOLE_PORT === 'string' });
  onStop('database', disconnectDatabase);
  await connectDatabase(config.MONGODB_URI, { ...mongoAccess(config), timeoutMs: databaseTimeoutMs });
  await refuseForeignMasterKey();
  await migrate(migrations, { logger: log });
  const redis = openRedis(config, log);
  onStop('redis', () => redis.disconnect());
  await connectRedis(redis);
  const subscriber = redis.duplicate();
  subscriber.on('error', () => {}); // the other connection has said so
  onStop('redis subscriber', () => subscriber.disconnect());

  const announcer = await openAnnouncer(redis, log);
  onStop('announcements', announcer.close);

  const egressByOrigin = openEgress(config);
  onStop('egress', () => egressByOrigin.close());
  const egress = egressByOrigin.channels;
  const board = openBoard(redis);
  onStop('board of jobs', board.close);
  const offered = offeredModels();
  const wallet = openWallet({ redis });
  await wallet.now(); // rows are dated by Redis's clock, the first one too
  const options = await openOptions();
  const context: Context = {
    log,
    redis,
    egress,
    egressByOrigin,
    jobs: board,
    images: imageLinks(config.MASTER_KEY, config.MASTER_KEYS_ALSO),
    options,
    offered,
    sessions: createSessions(redis, config.MASTER_KEY, config.MASTER_KEYS_ALSO),
    passwords: createPasswords(),
    limits: signInLimits(redis),
    devices: createDevices(config.MASTER_KEY, config.MASTER_KEYS_ALSO),
    codes: mailCodes(redis),
    secondSteps: secondSteps(redis),
    states: oauthStates(redis),
    oidc: createOidc(egressByOrigin.services, () => options.values, log),
    mailer: createMailer(() => options.values, { log, egress: egressByOrigin.services }),
    frequencies: { channelTestsMs: config.CHANNEL_TEST_FREQUENCY * 60_000, balancesMs: config.CHANNEL_UPDATE_FREQUENCY * 60_000 },
    noticeLimits: { count: config.NOTIFY_LIMIT_COUNT, minutes: config.NOTIFICATION_LIMIT_DURATION_MINUTE },
    stripeAddress: config.STRIPE_ADDRESS,
    givesDefaultToken: config.GENERATE_DEFAULT_TOKEN,
    wallet,
    shown: shownQuotas(redis),
    announce(kind, id) {
      if (kind === 'channel') offered.forget(id); // whoever asks next sees it, before the notice is back
      return announcer.announce(kind, id);
    },
    isLocalOnly: isLocalOnly(config),
    startedAt: Math.floor(Date.now() / 1000),
  };
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  await ensureFirstRoot(context, { initialPassword: config.INITIAL_ROOT_PASSWORD, print });

  await digestOlderKeys(log);
  await sealOlderProxies(log);

  const schedules = openSchedules(context, jobs);
  onStop('schedules', schedules.stop);
  const optionWatch = watchOptions(options, { logger: log, onRead: schedules.plan });
  onStop('options', optionWatch.stop);
  const notices = await watchNotices({
    redis,
    subscriber,
    onNotice(kind, id) {
      if (kind === 'option') optionWatch.noticed(id);
      if (kind === 'channel') offered.forget(id);
    },
    onGap() {
      offered.forget();
      optionWatch.noticed('all');
    },
  });
  onStop('notices', () => notices.stop());
  const readAhead = offered.readAhead().then(() => channelFacets(offered));
  readAhead.catch((error: unknown) => log.debug({ err: error }, 'the channels were not read ahead')); // nobody waits for it

  const hints = await hearHints(context, { redis, subscriber });
  onStop('callbacks of tasks', hints.stop);

  const failures = repeat('review of failures', { everyMs: 5000, work: () => reviewFailures(context), logger: log });
  onStop('review of failures', failures.stop);

  const presence = presenceOf('console', { redis, now: wallet.now });
  const proxies = watchProxies(isTrusted, log);
  const tell = () => presence.heartbeat({ untrustedProxy: proxies.latest() });
  onStop('presence', repeat('presence', { everyMs: 5000, work: tell, logger: log }).stop);

  const answerPass = playgroundPass({
    sessions: context.sessions,
    passes: playgroundPasses(config.MASTER_KEY, config.MASTER_KEYS_ALSO),
    now: context.wallet.now,
    isTrusted,
    siteAddress: () => options.values.ServerAddress,
    log,
  });
  const worker = openWorker(context, jobs);
  onStop('jobs', worker.stop);
  await board.start(payAllOwed, {}, { bySchedule: true }); // at once: a console that died may have left something

  const refusals = openRefusals();
  const datastores = watchDatastores(
    { MongoDB: pingDatabase, Redis: () => redis.ping() },
    {
      logger: log,
      onAway: () => refusals.refuseWaiting(),
      onSlow: refusals.refuseReads,
    },
  );
  onStop('datastores', datastores.stop);
  const app = createApp(context, {
    isTrusted,
    hosts: config.CONSOLE_HOSTS,
    webDirectory: config.WEB_DIR,
    requestsPerMinute: config.API_REQUESTS_PER_MINUTE,
    turnstileAddress: config.TURNSTILE_ADDRESS,
    datastores,
    refusals,
    proxies,
  });
  return { app, answerPass, health: { ready: async () => void (await Promise.all([pingDatabase(), redis.ping()])) } };
}

function openRedis(config: ConsoleEnv, log: Logger): Redis {
  const redis = new Redis(config.REDIS_URL, {
    ...redisAccess(config),
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    commandTimeout: 3000,
    connectTimeout: 3000,
    retryStrategy: (attempt) => Math.min(attempt * 50, 250), // somebody waits for the answer
  });
  redis.on('error', (error) => log.warn({ err: error }, 'redis'));
  return redis;
}
