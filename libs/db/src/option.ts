import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * Options that somebody has set, as text. `_id` is the key. Secret ones are sealed for `option:<key>`. `version` is a number that
 * was never given before, to this option or another: one that was reset and set again is told from the first.
 */
const optionSchema = new Schema(
  {
    _id: { type: String, required: true },
    value: { type: String, default: '' },
    updatedAt: { type: Date, required: true },
    version: { type: Number, default: 0 },
  },
  { versionKey: false },
);

export type OptionDoc = InferSchemaType<typeof optionSchema>;
export const OptionModel = model('Option', optionSchema, 'options');
