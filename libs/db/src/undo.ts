import { model, Schema } from 'mongoose';

/** The state of a row before an action. `version` is the one that the action wrote: it reveals later changes of the same fields. */
export interface RowBefore {
  row: unknown;
  version: number;
  fields: string[];
  /** Omits fields that were missing. */
  before: Record<string, unknown>;
}

export interface UndoDoc {
  _id: string;
  /** The user who did it. Only they can undo it. */
  userId: number;
  /** The action's name in the audit log. */
  action: string;
  kind: 'channel' | 'token' | 'redemption' | 'user';
  changed: RowBefore[];
  /** Deleted rows in full, with sealed secrets, by collection. */
  deleted: { channels: Record<string, unknown>[]; tests: Record<string, unknown>[] };
  expiresAt: Date;
}

/** Undo records: one per action, kept for some minutes. Only the console uses them. */
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
