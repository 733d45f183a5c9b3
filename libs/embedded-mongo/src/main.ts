import { StoreUnusable, startEmbeddedMongo } from './index.ts';

const path = process.env.EMBEDDED_MONGO_PATH;
const port = Number(process.env.EMBEDDED_MONGO_PORT ?? 27017);
const socket = process.env.EMBEDDED_MONGO_SOCKET;

const say = (line: string) => process.stdout.write(`${line}\n`);
const refuse = (line: string): never => {
  process.stderr.write(`bundled store: ${line}\n`);
  process.exit(1);
};

if (!path) refuse('EMBEDDED_MONGO_PATH must name the data folder');
if (!Number.isInteger(port) || port < 0 || port > 65535)
  refuse(`EMBEDDED_MONGO_PORT must be a port number, not '${process.env.EMBEDDED_MONGO_PORT}'`);

try {
  const store = await startEmbeddedMongo({ path: path as string, ...(socket ? { socket } : { port }) });
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await store.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  say(`bundled store: speaks MongoDB's wire protocol on ${store.uri} with SQLite in ${path}; made for one machine, it is not MongoDB`);
  say(
    'bundled store: limits: this machine only, one process, no passwords, transactions, change streams, collations, views, text or geo indexes; move on with npm run copy-data',
  );
} catch (error) {
  if (!(error instanceof StoreUnusable)) throw error;
  refuse(error.message);
}
