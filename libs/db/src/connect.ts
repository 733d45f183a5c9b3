import { DatastoreAway } from '@tollgate/contracts';
import mongoose, { mongo } from 'mongoose';
import { refuseEndedRelease } from './schema-version.ts';

/** Timeout for a server that accepts a connection and does not answer, at the start and in the driver's monitor. */
const connectTimeoutMs = 2_000;

interface Connecting {
  /** How long an operation waits for a usable server; 10 s by default. */
  timeoutMs?: number;
  poolSize?: number;
  tls?: boolean;
  /** The server's certificate authorities, as PEM. Default: the authorities that Node trusts. */
  ca?: string;
}

/**
 * Connects to the database and creates missing indexes. Throws when the database needs a newer release or the login is refused, and
 * DatastoreAway when no server is reached within `timeoutMs`. No error contains the URI, which may hold a password.
 */
export async function connectDatabase(uri: string, { timeoutMs = 10_000, poolSize = 20, ...trust }: Connecting = {}): Promise<void> {
  mongoose.set('strictQuery', 'throw');
  try {
    await mongoose.connect(uri, {
      ...trust,
      serverSelectionTimeoutMS: timeoutMs,
      connectTimeoutMS: connectTimeoutMs,
      maxPoolSize: poolSize,
      autoIndex: false,
      writeConcern: { w: 'majority', journal: true },
    });
  } catch (cause) {
    const message = `MongoDB does not answer at the address in MONGODB_URI: ${reasonOf(cause)}`;
    throw isAbsence(cause) ? new DatastoreAway('MongoDB', message) : new Error(message);
  }
  await refuseEndedRelease();
  await Promise.all(Object.values(mongoose.models).map((model) => model.createIndexes()));
}

/** A round trip. Throws when the database does not answer. */
export async function pingDatabase(): Promise<void> {
  const database = mongoose.connection.db;
  if (!database) throw new Error('the database is not connected');
  await database.command({ ping: 1 }, { timeoutMS: 2000 });
}

export async function disconnectDatabase(): Promise<void> {
  await mongoose.disconnect();
}

/** mongoose wraps the driver's error; its `reason` is the last known topology. */
function isAbsence(error: unknown): boolean {
  return error instanceof mongoose.Error.MongooseServerSelectionError || error instanceof mongo.MongoNetworkError;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/mongodb(\+srv)?:\/\/\S+/g, 'mongodb://...');
}
