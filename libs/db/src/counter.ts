import { model, Schema } from 'mongoose';

const counterSchema = new Schema({ _id: { type: String, required: true }, value: { type: Number, required: true } }, { versionKey: false });

const Counter = model('Counter', counterSchema, 'counters');

/** The next number of a sequence, from 1. A number is never returned twice; some may be skipped. */
export async function nextId(
  sequence: 'users' | 'tokens' | 'channels' | 'option_versions' | 'redemptions' | 'tasks' | 'budgets',
  count = 1,
): Promise<number> {
  const counter = await Counter.findOneAndUpdate(
    { _id: sequence },
    { $inc: { value: count } },
    { upsert: true, returnDocument: 'after' },
  ).lean();
  return counter.value - count + 1;
}

/** The last number that was given; 0 when none was. */
export async function lastId(sequence: 'users' | 'tokens' | 'channels' | 'redemptions'): Promise<number> {
  return (await Counter.findById(sequence).lean())?.value ?? 0;
}

/** Has the sequence go on behind `last`: numbers up to it are given to nothing new. */
export async function passIds(sequence: 'users' | 'tokens' | 'channels' | 'redemptions', last: number): Promise<void> {
  await Counter.updateOne({ _id: sequence }, { $max: { value: last } }, { upsert: true });
}
