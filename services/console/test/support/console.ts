import { randomBytes } from 'node:crypto';
import type { Envelope, LoginView } from '@tollgate/contracts';
import { createLogger, type Logger, stopSteps } from '@tollgate/runtime';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { type ConsoleEnv, consoleEnv } from '../../src/config.ts';
import { openConsole } from '../../src/open.ts';
import { expectAsContracted } from './contract.ts';

export interface Reply<T = unknown> extends Envelope<T> {
  status: number;
  headers: Headers;
  code?: string;
}

/** Somebody who talks to the console over HTTP. */
export interface Visitor {
  id: number;
  cookie: string | undefined;
  send<T = unknown>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>;
  /** The same, for what has to work. */
  ok<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
}

export interface TestConsole {
  origin: string;
  redisUrl: string;
  anonymous: Visitor;
  root: Visitor;
  /** Signs in, by default with the password that `newUser` gives. */
  signIn(username: string, password?: string): Promise<Visitor>;
  /** A new ordinary account, or an administrator, signed in. */
  newUser(options?: { admin?: boolean }): Promise<Visitor & { username: string }>;
  restart(env?: Partial<Record<keyof ConsoleEnv, string>>): Promise<void>;
  close(): Promise<void>;
}

export const testPassword = 'correct horse';
const rootPassword = 'root for tests';
export const masterKey = randomBytes(32).toString('hex');

/** A console on a database of its own, with its root signed in. */
export async function startConsole(
  env: Partial<Record<keyof ConsoleEnv, string>> = {},
  log: Logger = createLogger({ service: 'console', level: 'silent' }),
): Promise<TestConsole> {
  const { mongodbUri, redisUrl } = await engines();
  const database = mongodbUri();
  const redis = await redisUrl();
  let steps = stopSteps(log);
  let origin = '';

  async function open(extra: Partial<Record<keyof ConsoleEnv, string>>): Promise<void> {
    const config = consoleEnv.parse({
      MONGODB_URI: database,
      REDIS_URL: redis,
      MASTER_KEY: masterKey,
      CONSOLE_PORT: '0',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ...env,
      ...extra,
    });
    const { port } = await openConsole(config, { logger: log, onStop: steps.onStop });
    origin = `http://127.0.0.1:${port}`;
  }

  async function close(): Promise<void> {
    await steps.stop();
    steps = stopSteps(log);
  }

  async function signIn(username: string, password = testPassword): Promise<Visitor> {
    const reply = await visitor(() => origin).send<LoginView>('POST', '/api/user/login', { username, password });
    expect(reply.success, reply.message).to.equal(true);
    return visitor(() => origin, reply.data.id, cookieOf(reply.headers));
  }

  await open({});
  const root = await signIn('root', env.INITIAL_ROOT_PASSWORD ?? rootPassword);
  return {
    get origin() {
      return origin;
    },
    redisUrl: redis,
    anonymous: visitor(() => origin),
    root,
    signIn,
    async newUser({ admin = false } = {}) {
      const username = `u${randomBytes(5).toString('hex')}`;
      await root.ok('POST', '/api/user/', { username, password: testPassword, display_name: '' });
      const user = await signIn(username);
      if (admin) await root.ok('POST', '/api/user/manage', { id: user.id, action: 'promote' });
      return { ...user, username };
    },
    async restart(extra = {}) {
      await close();
      await open(extra);
    },
    close,
  };
}

/** The session cookie that an answer sets, as a browser would send it back. */
export function cookieOf(headers: Headers): string | undefined {
  return headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('session='))
    ?.split(';')[0];
}

function visitor(origin: () => string, id = 0, cookie?: string): Visitor {
  async function send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply<T>> {
    const answer = await fetch(origin() + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(id > 0 && { 'new-api-user': String(id) }),
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    expectAsContracted(method, path, { type: answer.headers.get('content-type') ?? '', text });
    return {
      ...(text.startsWith('{') ? (JSON.parse(text) as Envelope<T>) : { success: false, message: text, data: undefined as T }),
      status: answer.status,
      headers: answer.headers,
    };
  }
  return {
    id,
    cookie,
    send,
    async ok<T>(method: string, path: string, body?: unknown) {
      const reply = await send<T>(method, path, body);
      expect(reply.success, `${method} ${path}: ${reply.message}`).to.equal(true);
      return reply.data;
    },
  };
}
