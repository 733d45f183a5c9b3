import { type InferSchemaType, model, Schema } from 'mongoose';

/** One source that was imported. `_id` is its name; `ranges` are the ids that were free when it came, and are kept for its rows. */
const importSchema = new Schema(
  {
    _id: { type: String, required: true },
    product: { type: String, required: true },
    ranges: { type: [{ _id: false, kind: String, after: Number, to: Number }], default: [] },
    /** The last row of the source's log that was taken over. */
    logsTo: { type: Number, default: 0 },
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
  },
  { versionKey: false },
);
export const ImportModel = model('Import', importSchema, 'imports');

/** What one row of a source became. `_id` is `<import>/<kind>/<id at the source>`. */
const importRowSchema = new Schema(
  {
    _id: { type: String, required: true },
    importId: { type: String, required: true },
    kind: { type: String, required: true },
    /** Its id here. */
    id: { type: Number, required: true },
    /** Written whole; until then a second run writes it again, under the same id. */
    isDone: { type: Boolean, default: false },
    /** For users: the name at the source, which identifies the installation. */
    name: { type: String },
    /** Of users and tokens: the quota of the source that was posted so far. */
    quota: { type: Number, default: 0 },
    /** The posting under way: its number, and what `quota` is after it. */
    posting: { type: Number, default: 0 },
    quotaAfter: { type: Number },
  },
  { versionKey: false },
);
importRowSchema.index({ importId: 1, kind: 1 });

export type ImportRowDoc = InferSchemaType<typeof importRowSchema>;
export const ImportRow = model('ImportRow', importRowSchema, 'import_rows');
