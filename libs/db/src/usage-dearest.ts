import { model, Schema } from 'mongoose';

/** What has so many keys that a month of everybody's usage is not added up whenever somebody looks. */
export const dearestParts = ['channel', 'token', 'user'] as const;
export type DearestPart = (typeof dearestParts)[number];

/** What has lists of its days: models, too, so that a month of theirs is not the sum of all hours. */
export const listedParts = [...dearestParts, 'model'] as const;
export type ListedPart = (typeof listedParts)[number];

/** What everybody used together. */
export interface UsageSums {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

export interface UsageDearestRow extends UsageSums {
  _id: string;
  at: Date;
  keys: Buffer;
  names?: string[];
}

/**
 * The keys of a closed day that cost the most, worked out from `usage_by_part` and `usage_by_model` and made anew where it is lost. `_id` is the part's name and
 * the day (`channel|20417`). The sums are those of the whole day when it was counted: a day that has others now is to be counted again.
 */
const usageDearestSchema = new Schema<UsageDearestRow>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    requests: { type: Number, required: true },
    promptTokens: { type: Number, required: true },
    completionTokens: { type: Number, required: true },
    quota: { type: Number, required: true },
    /** Doubles, five a key, the dearest first: its id, requests, tokens in, tokens out, quota. */
    keys: { type: Buffer, required: true },
    /** Of models, in the same order: what they are called, where the others have ids. */
    names: { type: [String], default: undefined },
  },
  { versionKey: false },
);
usageDearestSchema.index({ at: 1 });

export const UsageDearest = model('UsageDearest', usageDearestSchema, 'usage_dearest');
