import { type InferSchemaType, model, Schema } from 'mongoose';

/** Options that somebody has set, as text. `_id` is the key. Secret ones are sealed for `option:<key>`. */
const optionSchema = new Schema(
  { _id: { type: String, required: true }, value: { type: String, default: '' }, updatedAt: { type: Date, required: true } },
  { versionKey: false },
);

export type OptionDoc = InferSchemaType<typeof optionSchema>;
export const OptionModel = model('Option', optionSchema, 'options');
