import { model, Schema } from 'mongoose';

/** Dimensions with too many values to add up a month on each view. */
export const dearestParts = ['channel', 'token', 'user'] as const;
export type DearestPart = (typeof dearestParts)[number];

/** Dimensions with daily rankings. Models are included, so that a month of them does not add up all hours. */
export const listedParts = [...dearestParts, 'model'] as const;
export type ListedPart = (typeof listedParts)[number];

/** Usage of all users together. */
export interface UsageSums {
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
  uncollected: number;
}

export interface UsageDearestRow extends UsageSums {
  _id: string;
  at: Date;
  keys: Buffer;
  names?: string[];
}

/**
 * The values with the highest cost of a closed day, computed from `usage_by_part` and `usage_by_model` and rebuilt when lost. `_id` is
 * dimension and day (`channel|20417`); days of other time zones than UTC have their begin and end (`model|1764068400-1764154800`). The sums
 * are those of the whole day at that time: when the day's sums change, the ranking is rebuilt.
 */
const usageDearestSchema = new Schema<UsageDearestRow>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    requests: { type: Number, required: true },
    promptTokens: { type: Number, required: true },
    completionTokens: { type: Number, required: true },
    quota: { type: Number, required: true },
    uncollected: { type: Number, required: true },
    /** Doubles, six per value, highest cost first: id, requests, input tokens, output tokens, quota, uncollected. */
    keys: { type: Buffer, required: true },
    /** For models, in the same order: the names, where the others have ids. */
    names: { type: [String], default: undefined },
  },
  { versionKey: false },
);
usageDearestSchema.index({ at: 1 });

export const UsageDearest = model('UsageDearest', usageDearestSchema, 'usage_dearest');
