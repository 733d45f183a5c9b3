import { model, Schema } from 'mongoose';

const counterSchema = new Schema({ _id: { type: String, required: true }, value: { type: Number, required: true } }, { versionKey: false });

const Counter = model('Counter', counterSchema, 'counters');

/** The next number of a sequence, from 1. A number is never returned twice; some may be skipped. */
export async function nextId(
  sequence: 'users' | 'tokens' | 'channels' | 'option_versions' | 'redemptions' | 'tasks',
  count = 1,
): Promise<number> {
  const counter = await Counter.findOneAndUpdate(
    { _id: sequence },
    { $inc: { value: count } },
    { upsert: true, returnDocument: 'after' },
  ).lean();
  return counter.value - count + 1;
}
