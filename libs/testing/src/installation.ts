import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedChild, startGuarded } from './guarded-child.ts';

const entry = join(import.meta.dirname, '../../../deploy/local/supervisor/main.ts');
const factoryPassword = '123456';
const oneOfEach = { RELAY_PROCESSES: '1', BILLING_PROCESSES: '1' };

/** The whole product, started as a user starts it, on a data folder of its own. */
export interface Installation {
  dataDir: string;
  /** The public address. */
  address: string;
  mongodbUri: string;
  redisUrl: string;
  /** What runs now, by name: store, redis, relay, billing, console; restarted ones have new pids. */
  processes(): Promise<{ name: string; pid: number; address: string; state: string }[]>;
  pidOf(name: string): Promise<number>;
  addressOf(name: string): Promise<string>;
  /** A call of the console API as root; the answer's `data`. Throws with the message when it is refused. */
  console<T = unknown>(path: string, request?: { method?: string; body?: unknown }): Promise<T>;
  /** Any request with root's session; JSON, when it has a body. */
  asRoot(path: string, request?: { method?: string; body?: string }): Promise<Response>;
  /** Opens a new session for root. */
  signInAgain(): Promise<void>;
  supervisorRuns(): boolean;
  /** Ends the supervisor alone with SIGKILL. */
  kill9Supervisor(): Promise<void>;
  /** The supervisor stands still meanwhile: it starts nothing again. */
  whileSupervisorStands(work: () => Promise<void>): Promise<void>;
  /** Starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Root's session at a console of any release. */
export interface RootSession {
  userId: number;
  /** A call of the console API; the answer's `data`. `address`: at another console than the one that opened the session. Throws with the message when it is refused. */
  call<T = unknown>(path: string, request?: { method?: string; body?: unknown; address?: string }): Promise<T>;
}

interface RunState {
  supervisor: { pid: number };
  address: string;
  isReady: boolean;
  processes: { name: string; pid: number; address: string; state: string }[];
}

/** Starts the supervisor, waits until all is ready, and signs in. `env` are its settings; a `DATA_DIR` among them is left as it is at the end. */
export async function startInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'tollgate-installation-')));
  const ownedFolder = env.DATA_DIR === undefined ? dataDir : undefined;
  const settings = {
    DATA_DIR: dataDir,
    PORT: '0',
    ENV_FILE: '/dev/null',
    EGRESS_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    RELAY_QUEUE_MS: '60000', // a busy machine refuses nobody
    ...oneOfEach, // whatever the cores
    ...env,
  };
  const readState = async (): Promise<RunState> => JSON.parse(await readFile(join(dataDir, 'run/state.json'), 'utf8')) as RunState;
  let supervisor: GuardedChild;
  let signedIn: SignedIn;
  let state: RunState;

  async function launch(): Promise<void> {
    supervisor = await startGuarded(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
      env: settings,
      ...(ownedFolder !== undefined && { ownedFolder }),
    });
    state = await untilReady(supervisor, readState);
    await signInAgain();
  }
  async function signInAgain(): Promise<void> {
    signedIn = await signIn(state.address, env.INITIAL_ROOT_PASSWORD ?? factoryPassword);
  }
  const named = async (name: string) => {
    const found = (await readState()).processes.find((each) => each.name === name);
    if (!found) throw new Error(`no process is called ${name}`);
    return found;
  };

  await launch();
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as { redisPassword: string };
  return {
    dataDir,
    get address() {
      return state.address;
    },
    get mongodbUri() {
      const store = state.processes.find(({ name }) => name === 'store');
      return store ? `${store.address}/tollgate` : (env.MONGODB_URI ?? '');
    },
    get redisUrl() {
      const redis = state.processes.find(({ name }) => name === 'redis');
      return redis ? `${redis.address}?password=${secrets.redisPassword}` : (env.REDIS_URL ?? '');
    },
    processes: async () => (await readState()).processes,
    pidOf: async (name) => (await named(name)).pid,
    addressOf: async (name) => (await named(name)).address,
    console: (path, request) => callConsole(state.address, signedIn, { path, ...request }),
    asRoot: (path, request) => fetchAs(state.address, signedIn, { path, ...request }),
    signInAgain,
    supervisorRuns: () => !supervisor.hasExited(),
    kill9Supervisor: () => supervisor.end('SIGKILL'),
    async whileSupervisorStands(work) {
      process.kill(supervisor.pid, 'SIGSTOP');
      await work().finally(() => process.kill(supervisor.pid, 'SIGCONT'));
    },
    restart: async () => {
      await supervisor.end('SIGTERM');
      await launch();
    },
    async stop() {
      await supervisor.end('SIGTERM');
      if (ownedFolder !== undefined) await rm(ownedFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Signs in as root, who has the password that he is made with. */
export async function rootSession(address: string): Promise<RootSession> {
  const signedIn = await signIn(address, factoryPassword);
  return {
    userId: signedIn.userId,
    call: (path, { address: at = address, ...request } = {}) => callConsole(at, signedIn, { path, ...request }),
  };
}

async function untilReady(supervisor: GuardedChild, readState: () => Promise<RunState>): Promise<RunState> {
  const deadline = Date.now() + 180_000;
  while (Date.now() < deadline && !supervisor.hasExited()) {
    const state = await readState().catch(() => undefined);
    if (state?.isReady && state.supervisor.pid === supervisor.pid) return state;
    await delay(30);
  }
  throw new Error(`the installation did not become ready:\n${supervisor.output()}`);
}

interface SignedIn {
  cookie: string;
  userId: number;
}

async function signIn(address: string, password: string): Promise<SignedIn> {
  const answer = await fetch(`${address}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password }),
  });
  const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: { id: number } };
  if (!success) throw new Error(`root cannot sign in: ${message}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return { cookie, userId: data.id };
}

async function callConsole<T>(address: string, signedIn: SignedIn, request: { path: string; method?: string; body?: unknown }): Promise<T> {
  const { path, method = 'GET', body } = request;
  const answer = await fetchAs(address, signedIn, { path, method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const envelope = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`${method} ${path}: ${envelope.message}`);
  return envelope.data;
}

function fetchAs(
  address: string,
  { cookie, userId }: SignedIn,
  { path, method = 'GET', body }: { path: string; method?: string; body?: string },
): Promise<Response> {
  return fetch(`${address}${path}`, {
    method,
    headers: { cookie, 'new-api-user': String(userId), ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body ?? null,
  });
}
