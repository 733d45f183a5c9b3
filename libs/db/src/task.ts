import type { TaskKind, TaskStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';

/**
 * Pictures and music that a provider takes minutes to make. `_id` is the request id of the call that submitted it, and so the id of its
 * hold and of its charge in the log. Who writes which fields: README.
 */
const taskSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** The number that people see. */
    id: { type: Number, required: true },
    kind: { type: String, enum: ['drawing', 'music'], required: true },
    /** The provider's id, by which callers know the task; missing until it has taken it. */
    upstreamId: { type: String },
    /** One of `drawingModels` or `musicModels` of the contracts. */
    action: { type: String, required: true },
    /** One of `taskStatuses`. */
    status: { type: String, default: '' },
    /** As providers say it, such as `42%`. */
    progress: { type: String, default: '0%' },
    failReason: { type: String, default: '' },
    /** When it was asked for. */
    at: { type: Date, required: true },
    /** When its provider began, and ended; null: not yet. */
    startedAt: { type: Date, default: null },
    endedAt: { type: Date, default: null },
    /** When the row was last written. */
    updatedAt: { type: Date, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    tokenId: { type: Number, default: 0 },
    channelId: { type: Number, required: true },
    /** What it costs, or would have. */
    quota: { type: Number, default: 0 },
    /** It has not ended: true, or missing. */
    isOpen: { type: Boolean },
    /** How often in a row its provider has not known it. */
    misses: { type: Number },
    /** Of a failed task: `due` until its charge is taken back (`done`), or was found never to have been made (`none`). */
    refund: { type: String, enum: ['due', 'done', 'none'] },

    prompt: { type: String, default: '' },
    /** Of drawings. */
    promptEn: { type: String, default: '' },
    description: { type: String, default: '' },
    /** What the caller wants to find again in his task. */
    state: { type: String, default: '' },
    customId: { type: String, default: '' },
    botType: { type: String, default: '' },
    mode: { type: String, default: '' },
    /** What the provider answered to the submission: 1, 21, 22, or why not: 3, 4, 23, 24 ... */
    code: { type: Number, default: 0 },
    imageUrl: { type: String, default: '' },
    buttons: { type: Schema.Types.Mixed },
    properties: { type: Schema.Types.Mixed },
    /** Of music: the clips, or the lyrics. */
    data: { type: Schema.Types.Mixed },
  },
  { versionKey: false, minimize: false },
);
// A task of a caller by its provider's id, and that none is kept twice; alone it is what administrators look for.
taskSchema.index(
  { upstreamId: 1, userId: 1, channelId: 1, action: 1 },
  { name: 'upstream', unique: true, partialFilterExpression: { upstreamId: { $gt: '' } } },
);
taskSchema.index({ kind: 1, at: -1 });
taskSchema.index({ userId: 1, kind: 1, at: -1 });
taskSchema.index({ channelId: 1, kind: 1, at: -1 });
taskSchema.index({ kind: 1, status: 1, at: -1 });
// What the sync, and what the refunds look for each time: as small as what is open, or owed.
taskSchema.index({ kind: 1, at: 1 }, { name: 'open', partialFilterExpression: { isOpen: true } });
taskSchema.index({ at: 1 }, { name: 'refund_due', partialFilterExpression: { refund: 'due' } });

export type TaskDoc = InferSchemaType<typeof taskSchema>;
type OfDrawings = 'promptEn' | 'description' | 'state' | 'customId' | 'botType' | 'mode' | 'code' | 'imageUrl';
type Maybe = 'upstreamId' | 'isOpen' | 'misses' | 'refund' | 'buttons' | 'properties' | 'data' | OfDrawings;
export type TaskRow = RowOf<
  TaskDoc,
  Exclude<keyof TaskDoc, Maybe>,
  { kind: TaskKind; status: TaskStatus; startedAt: Date | null; endedAt: Date | null; isOpen: true }
>;
export const Task = model('Task', taskSchema, 'tasks');
