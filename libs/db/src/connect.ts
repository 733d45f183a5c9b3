import mongoose from 'mongoose';
import { refuseEndedRelease } from './schema-version.ts';

interface Connecting {
  timeoutMs?: number;
  poolSize?: number;
  tls?: boolean;
  /** The certificates of who signs the server's, as PEM; those that Node trusts when it is left out. */
  ca?: string;
}

/**
 * Connects the process to the database and makes sure that every index is there.
 * Throws when the database needs a newer release, and when the server cannot be reached within `timeoutMs`; the error never holds the URI, which may carry a password.
 */
export async function connectDatabase(uri: string, { timeoutMs = 10_000, poolSize = 20, ...trust }: Connecting = {}): Promise<void> {
  mongoose.set('strictQuery', 'throw');
  try {
    await mongoose.connect(uri, {
      ...trust,
      serverSelectionTimeoutMS: timeoutMs,
      maxPoolSize: poolSize,
      autoIndex: false,
      writeConcern: { w: 'majority', journal: true },
    });
  } catch (cause) {
    throw new Error(`MongoDB does not answer at the address in MONGODB_URI: ${reasonOf(cause)}`);
  }
  await refuseEndedRelease();
  for (const model of Object.values(mongoose.models)) await model.createIndexes();
}

/** A real round trip; throws when the database does not answer. */
export async function pingDatabase(): Promise<void> {
  const database = mongoose.connection.db;
  if (!database) throw new Error('the database is not connected');
  await database.command({ ping: 1 }, { timeoutMS: 2000 });
}

export async function disconnectDatabase(): Promise<void> {
  await mongoose.disconnect();
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/mongodb(\+srv)?:\/\/\S+/g, 'mongodb://...');
}
