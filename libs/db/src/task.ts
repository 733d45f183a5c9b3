import type { TaskKind, TaskStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';

/**
 * Images and music that take a provider minutes. `_id` is the request id of the submitting call, and so the id of its hold and charge. The
 * README states who writes which fields.
 */
const taskSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** The number shown to people. */
    id: { type: Number, required: true },
    kind: { type: String, enum: ['drawing', 'music'], required: true },
    /** The provider's id, by which callers refer to the task; missing until the provider accepts it. */
    upstreamId: { type: String },
    /** One of `drawingModels` or `musicModels` of the contracts. */
    action: { type: String, required: true },
    /** One of `taskStatuses`. */
    status: { type: String, default: '' },
    /** As reported by providers, such as `42%`. */
    progress: { type: String, default: '0%' },
    failReason: { type: String, default: '' },
    /** When it was requested. */
    at: { type: Date, required: true },
    /** When the provider began and ended; null: not yet. */
    startedAt: { type: Date, default: null },
    endedAt: { type: Date, default: null },
    /** When the row was last written. */
    updatedAt: { type: Date, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    tokenId: { type: Number, default: 0 },
    channelId: { type: Number, required: true },
    /** Which of the channel's keys it was submitted with, where it has several. */
    keyId: { type: Number },
    /** Its cost, or what it would have cost. */
    quota: { type: Number, default: 0 },
    /** True while it runs, otherwise missing. */
    isOpen: { type: Boolean },
    /** How many times in a row the provider did not know it. */
    misses: { type: Number },
    /** For a failed task: `due` until its charge is refunded (`done`) or was never made (`none`). */
    refund: { type: String, enum: ['due', 'done', 'none'] },

    prompt: { type: String, default: '' },
    /** For drawings. */
    promptEn: { type: String, default: '' },
    description: { type: String, default: '' },
    /** A value that the caller attaches to the task. */
    state: { type: String, default: '' },
    customId: { type: String, default: '' },
    botType: { type: String, default: '' },
    mode: { type: String, default: '' },
    /** The provider's reply to the submission: 1, 21, 22 when accepted; 3, 4, 23, 24 ... when refused. */
    code: { type: Number, default: 0 },
    imageUrl: { type: String, default: '' },
    buttons: { type: Schema.Types.Mixed },
    properties: { type: Schema.Types.Mixed },
    /** For music: the clips, or the lyrics. */
    data: { type: Schema.Types.Mixed },
  },
  { versionKey: false, minimize: false },
);
// Finds a caller's task by the provider's id and prevents duplicates. Administrators search by the id alone.
taskSchema.index(
  { upstreamId: 1, userId: 1, channelId: 1, action: 1 },
  { name: 'upstream', unique: true, partialFilterExpression: { upstreamId: { $gt: '' } } },
);
taskSchema.index({ kind: 1, at: -1 });
taskSchema.index({ userId: 1, kind: 1, at: -1 });
taskSchema.index({ channelId: 1, kind: 1, at: -1 });
taskSchema.index({ kind: 1, status: 1, at: -1 });
// Used by each run of the sync and the refunds; as small as the open or refundable tasks.
taskSchema.index({ kind: 1, at: 1 }, { name: 'open', partialFilterExpression: { isOpen: true } });
taskSchema.index({ at: 1 }, { name: 'refund_due', partialFilterExpression: { refund: 'due' } });

export type TaskDoc = InferSchemaType<typeof taskSchema>;
type OfDrawings = 'promptEn' | 'description' | 'state' | 'customId' | 'botType' | 'mode' | 'code' | 'imageUrl';
type Maybe = 'upstreamId' | 'keyId' | 'isOpen' | 'misses' | 'refund' | 'buttons' | 'properties' | 'data' | OfDrawings;
export type TaskRow = RowOf<
  TaskDoc,
  Exclude<keyof TaskDoc, Maybe>,
  { kind: TaskKind; status: TaskStatus; startedAt: Date | null; endedAt: Date | null; isOpen: true }
>;
export const Task = model('Task', taskSchema, 'tasks');
