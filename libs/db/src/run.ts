import { type InferSchemaType, model, Schema } from 'mongoose';

/** How a run was opened: by the owner in the console, or by a caller with an API key (`X-Run-Budget`, or a child token made for it). */
export const runOpeners = ['owner', 'caller'] as const;

const keptSeconds = 400 * 86_400;

/**
 * A run of an agent: calls that share a ceiling. `_id` is the id of its budget (`runBudgetId` of the wallet), whose buckets hold what was
 * spent. Written by the wallet package only.
 */
const runSchema = new Schema(
  {
    _id: { type: String, required: true },
    userId: { type: Number, required: true },
    /** The token whose calls it has; of child tokens, their parent. */
    tokenId: { type: Number, required: true },
    /** As the caller names it; empty for the one that all unknown runs of a token share. */
    runId: { type: String, default: '' },
    /** In quota units. Of the shared one, the token's `runBudget` counts instead. */
    limit: { type: Number, required: true },
    openedBy: { type: String, enum: runOpeners, required: true },
    openedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
runSchema.index({ userId: 1, openedAt: -1 });
runSchema.index({ openedAt: 1 }, { expireAfterSeconds: keptSeconds });

export type RunDoc = InferSchemaType<typeof runSchema>;
export const Run = model('Run', runSchema, 'runs');
