import { type Client, type Db, MongoClient, startStore } from '../servers.ts';

/** What one conformance test works with: a fresh, empty database on a plain connection. */
export interface Target {
  /** As it was given, credentials and all. */
  uri: string;
  client: Client;
  db: Db;
}

let counter = 0;

/**
 * Defines a group of tests twice: against the bundled store, and against the server that MONGODB_URI names. Without one the
 * second group is pending, with the reason in its title.
 */
export function conformance(title: string, tests: (target: () => Target) => void): void {
  describe(`${title}, on the bundled store`, () => {
    run(async () => {
      const store = await startStore();
      return { uri: store.uri, stop: () => store.stop() };
    }, tests);
  });
  const uri = process.env.MONGODB_URI;
  if (uri) describe(`${title}, on the server of MONGODB_URI`, () => run(async () => ({ uri, stop: async () => {} }), tests));
  else it(`${title}: SKIPPED on a real MongoDB, because MONGODB_URI is not set`);
}

function run(start: () => Promise<{ uri: string; stop(): Promise<void> }>, tests: (target: () => Target) => void): void {
  let target: Target | undefined;
  let server: { uri: string; stop(): Promise<void> };
  before(async function () {
    this.timeout(20_000);
    server = await start();
    target = { uri: server.uri, client: await MongoClient.connect(server.uri), db: undefined as never };
  });
  beforeEach(() => {
    (target as Target).db = (target as Target).client.db(`conformance_${process.pid}_${++counter}`);
  });
  afterEach(() => (target as Target).db.dropDatabase());
  after(async () => {
    await target?.client.close();
    await server?.stop();
  });
  tests(() => target as Target);
}

/** What a promise was rejected with. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<
  Error & { code?: number; keyPattern?: object; keyValue?: object; writeErrors?: { index: number; code: number; errmsg: string }[] }
> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it was expected to fail, and did not');
}
