import { once } from 'node:events';
import mongoose from 'mongoose';
import { connectDatabase, disconnectDatabase } from '../src/connect.ts';
import { migrate } from '../src/migrate.ts';

/** Number of steps of its one migration. */
export const steps = 5;

/** The documents that the migration creates, one per step. */
export function migratedThings() {
  return mongoose.connection.collection<{ _id: number; written: number }>('migrated_things');
}

/** Prints its position and waits for permission to go on. */
async function say(words: string): Promise<void> {
  const told = once(process, 'message');
  process.send?.(words);
  await told;
}

async function work(uri: string): Promise<void> {
  await connectDatabase(uri);
  const run = async ({ from, note }: { from: unknown; note(at: unknown): Promise<void> }) => {
    for (let _id = Number(from ?? 0) + 1; _id <= steps; _id++) {
      await migratedThings().updateOne({ _id }, { $inc: { written: 1 } }, { upsert: true });
      await say(`wrote ${_id}`);
      await note(_id);
      await say(`noted ${_id}`);
    }
  };
  await migrate([{ version: 1, name: 'things are made', run }], { logger: { info: () => {} }, silentMs: 1_000, pollMs: 20 });
  await disconnectDatabase();
  process.disconnect();
}

if (process.send && process.argv[1] === import.meta.filename) await work(process.argv[2] ?? '');
