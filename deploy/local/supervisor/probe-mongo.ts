import { datastoreAway } from '@tollgate/runtime/start';
import { MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import { NoAnswer, Refusal } from './refusal.ts';

const timeoutMs = 5_000;

/** A real round trip: writes a document, reads it back, removes it. */
export async function probeMongo(uri: string, access: MongoClientOptions = {}): Promise<void> {
  const client = new MongoClient(uri, { ...access, serverSelectionTimeoutMS: timeoutMs, connectTimeoutMS: timeoutMs, maxPoolSize: 1 });
  try {
    await client.connect();
    const probes = client.db().collection<{ _id: string; at: Date }>('startup_probes');
    const _id = `probe-${process.pid}`;
    await probes.replaceOne({ _id }, { at: new Date() }, { upsert: true });
    if (!(await probes.findOne({ _id }))) throw new Error('what was written could not be read back');
    await probes.deleteOne({ _id });
  } finally {
    await client.close();
  }
}

/** The same for a store that the user named by `setting`. Throws Refusal (NoAnswer) that names it and never shows the password. */
export async function checkGivenMongo(setting: string, uri: string, access: MongoClientOptions): Promise<void> {
  try {
    await probeMongo(uri, access);
  } catch (error) {
    const words = `${setting} (${withoutPassword(uri)}) does not work: ${explain(error as Error)}`;
    throw datastoreAway(error) === undefined ? new Refusal(words) : new NoAnswer(words);
  }
}

function explain(error: Error): string {
  if (error instanceof MongoServerError && (error.code === 18 || error.code === 8000))
    return 'the server refuses this user name or password.';
  if (error instanceof MongoServerError && error.code === 13)
    return `this user may not write (${error.message}). Grant it the role readWrite.`;
  if (error.name === 'MongoServerSelectionError') return `no server answers there within ${timeoutMs / 1000} s (${error.message}).`;
  return `${error.message}.`;
}

/** A connection string that may be shown: the part before @, and what follows `password=`, is replaced. */
export function withoutPassword(uri: string): string {
  return uri.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1***@').replace(/([?&]password=)[^&]*/i, '$1***');
}
