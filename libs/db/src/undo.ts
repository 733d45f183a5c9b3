import { model, Schema } from 'mongoose';

/** What stood in a row before a deed changed it. `version` is the one that the deed made: by it a later change of the same fields is told. */
export interface RowBefore {
  row: unknown;
  version: number;
  fields: string[];
  /** Without the fields that were not there. */
  before: Record<string, unknown>;
}

export interface UndoDoc {
  _id: string;
  /** Who did it, and alone may take it back. */
  userId: number;
  /** As the audit log calls it. */
  action: string;
  kind: 'channel' | 'token' | 'redemption' | 'user';
  changed: RowBefore[];
  /** Whole rows that are gone, secrets sealed as they were; by collection. */
  deleted: { channels: Record<string, unknown>[]; tests: Record<string, unknown>[] };
  expiresAt: Date;
}

/** How what was changed lately can be taken back: one record a deed, for some minutes. Console writes and reads it. */
const undoSchema = new Schema<UndoDoc>(
  {
    _id: { type: String, required: true },
    userId: { type: Number, required: true },
    action: { type: String, required: true },
    kind: { type: String, required: true },
    changed: { type: [Schema.Types.Mixed], required: true },
    deleted: { type: Schema.Types.Mixed, required: true },
    expiresAt: { type: Date, required: true },
  } as never,
  { versionKey: false, minimize: false },
);
undoSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
undoSchema.index({ userId: 1, expiresAt: -1 });

export const Undo = model<UndoDoc>('Undo', undoSchema, 'undos');
