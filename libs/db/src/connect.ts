import { DatastoreAway } from '@tollgate/contracts';
import mongoose, { mongo } from 'mongoose';
import { refuseEndedRelease } from './schema-version.ts';

/** A server that takes a connection and says nothing is given up after this, at the start and by the driver's monitor. */
const connectTimeoutMs = 2_000;

interface Connecting {
  /** How long an operation waits for a server that takes it; 10 s by default. */
  timeoutMs?: number;
  poolSize?: number;
  tls?: boolean;
  /** The certificates of who signs the server's, as PEM; those that Node trusts when it is left out. */
  ca?: string;
}

/**
 * Connects the process to the database and makes sure that every index is there.
 * Throws when the database needs a newer release or the login is refused, and DatastoreAway when no server is reached within `timeoutMs`;
 * no error holds the URI, which may carry a password.
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

/** mongoose wraps the driver's error in one of its own, whose `reason` is the topology as it was last seen. */
function isAbsence(error: unknown): boolean {
  return error instanceof mongoose.Error.MongooseServerSelectionError || error instanceof mongo.MongoNetworkError;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/mongodb(\+srv)?:\/\/\S+/g, 'mongodb://...');
}
