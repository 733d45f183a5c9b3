import type { FailedAttempt, PassedOver } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { Marks } from './usage-counts.ts';

/**
 * Calls that failed, apart from the usage log: a request id may be in both, and the indexes here cost successful calls nothing. `_id` is the request
 * id; for a row that only counts further failures of one cause in one minute it is made of both.
 */
const callFailureSchema = new Schema(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    tokenId: { type: Number, default: 0 },
    tokenName: { type: String, default: '' },
    group: { type: String, default: '' },
    model: { type: String, default: '' },
    mode: { type: String, default: '' },
    channelId: { type: Number, default: 0 },
    channelName: { type: String, default: '' },
    isStream: { type: Boolean, default: false },
    durationMs: { type: Number, default: 0 },
    /** HTTP status sent to the caller; 499: the caller had left. */
    status: { type: Number, required: true },
    code: { type: String, required: true },
    /** The details of an own code's message. */
    details: { type: Schema.Types.Mixed },
    /** The message sent to the caller, where it is a provider's. */
    message: { type: String },
    dialect: { type: String, default: '' },
    client: { type: String, default: '' },
    attempts: { type: Schema.Types.Mixed },
    passedOver: { type: Schema.Types.Mixed },
    /** How many calls the row counts, where it is more than the one that `_id` names. */
    count: { type: Number },
    /** The newest request id that such a row counts. */
    lastId: { type: String },
    marks: { type: Schema.Types.Mixed },
  },
  { versionKey: false, minimize: false },
);
callFailureSchema.index({ at: -1 });
for (const field of ['userId', 'channelId', 'model', 'tokenName', 'group', 'code']) callFailureSchema.index({ [field]: 1, at: -1 });

export type CallFailureDoc = InferSchemaType<typeof callFailureSchema>;
export type CallFailureRow = RowOf<
  CallFailureDoc,
  '_id' | 'at' | 'userId' | 'username' | 'tokenId' | 'tokenName' | 'status' | 'code' | 'channelId' | 'channelName',
  { details: Record<string, string | number>; attempts: FailedAttempt[]; passedOver: PassedOver[]; marks: Marks }
>;
export const CallFailure = model('CallFailure', callFailureSchema, 'call_failures');
