import { budgetModes, budgetUnits, budgetWindows } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { Marks } from './usage-counts.ts';

/** What a budget applies to. A group's budget applies to each user of the group on their own. */
export const budgetSubjects = ['token', 'user', 'group'] as const;
export type BudgetSubject = (typeof budgetSubjects)[number];

/** A ceiling on what a payer may use in a window. Unit, window and time zone never change: stored buckets depend on them. */
const budgetSchema = new Schema(
  {
    id: { type: Number, required: true, unique: true },
    name: { type: String, required: true },
    subject: { type: String, enum: budgetSubjects, required: true },
    /** The id of the token or user, or the name of the group. */
    subjectId: { type: String, required: true },
    /** The user who may see it: the owner of the token, the user; 0 for a group. */
    userId: { type: Number, required: true },
    unit: { type: String, enum: budgetUnits, required: true },
    /** In quota units, requests or tokens. */
    amount: { type: Number, required: true },
    window: { type: String, enum: budgetWindows, required: true },
    /** IANA name, for calendar windows. */
    timeZone: { type: String, default: 'UTC' },
    /** Empty: all models. A name may end in `*`. */
    models: { type: [String], default: [] },
    mode: { type: String, enum: budgetModes, required: true },
    /** Set by an administrator: the owner of the token or the user may see it and not change it. */
    byAdmin: { type: Boolean, default: false },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);
budgetSchema.index({ subject: 1, subjectId: 1 });
budgetSchema.index({ userId: 1 });
export type BudgetDoc = InferSchemaType<typeof budgetSchema>;
export const Budget = model('Budget', budgetSchema, 'budgets');

/**
 * What one payer used of one budget in one bucket of its window. `_id` is `<budget>|<payer>|<start in ms>`. Written by billing only, under
 * the watermark in `marks`, each row in one conditional update.
 */
const budgetBucketSchema = new Schema(
  {
    _id: { type: String, required: true },
    budgetId: { type: String, required: true },
    payer: { type: Number, required: true },
    from: { type: Date, required: true },
    /** When the bucket leaves the window. */
    until: { type: Date, required: true },
    quota: { type: Number, default: 0 },
    requests: { type: Number, default: 0 },
    tokens: { type: Number, default: 0 },
    /** Increases with every change. Redis accepts a value only with a newer version. */
    version: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed, default: {} },
    /** When the row may be deleted; missing for a total. */
    keepUntil: { type: Date },
  },
  { versionKey: false, minimize: false },
);
budgetBucketSchema.index({ budgetId: 1, payer: 1, until: 1 });
budgetBucketSchema.index({ keepUntil: 1 }, { expireAfterSeconds: 0 });

type BudgetBucketDoc = InferSchemaType<typeof budgetBucketSchema>;
export type BudgetBucketRow = RowOf<
  BudgetBucketDoc,
  '_id' | 'budgetId' | 'payer' | 'from' | 'until' | 'quota' | 'requests' | 'tokens' | 'version',
  { marks: Marks }
>;
export const BudgetBucket = model('BudgetBucket', budgetBucketSchema, 'budget_buckets');
export const budgetBucketId = (budgetId: string, payer: number, fromMs: number): string => `${budgetId}|${payer}|${fromMs}`;
