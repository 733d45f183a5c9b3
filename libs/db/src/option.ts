import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * Options that were set, as text. `_id` is the key. Secrets are sealed for `option:<key>`. `version` is never reused, not even for another
 * option, which distinguishes an option that was reset and set again.
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
