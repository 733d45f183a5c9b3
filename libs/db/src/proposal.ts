import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * A change that a price source or a provider suggests, and what became of it. `_id` is `<kind>:<channel>:<model>`, so that a repeated suggestion is the
 * same row. Only the console uses them.
 */
const proposalSchema = new Schema(
  {
    _id: { type: String, required: true },
    kind: { type: String, enum: ['price', 'facts', 'model', 'discontinued'], required: true },
    action: { type: String, enum: ['set', 'add', 'remove'], required: true },
    status: { type: String, enum: ['waiting', 'quarantined', 'scheduled', 'applied', 'rejected'], required: true },
    model: { type: String, default: '' },
    /** 0: of no channel. */
    channelId: { type: Number, default: 0 },
    source: { type: String, required: true },
    reasons: { type: [String], default: [] },
    /** JSON of prices by class, in US dollars. */
    before: { type: String, default: '{}' },
    after: { type: String, default: '{}' },
    /** JSON of what is laid over the catalog. */
    change: { type: String, default: '' },
    at: { type: Date, required: true },
    effectiveAt: { type: Date, default: null },
    decidedAt: { type: Date, default: null },
    decidedBy: { type: String, default: '' },
  },
  { versionKey: false, minimize: false },
);
proposalSchema.index({ status: 1, at: -1 });
proposalSchema.index({ at: -1 });

export type ProposalDoc = InferSchemaType<typeof proposalSchema>;
export const Proposal = model('Proposal', proposalSchema, 'proposals');

/** How the prices of a model that is offered have changed, the newest last, as JSON by class. `_id` is the model. */
const priceHistorySchema = new Schema(
  {
    _id: { type: String, required: true },
    entries: {
      type: [{ _id: false, at: { type: Date, required: true }, prices: { type: String, required: true } }],
      default: [],
    },
  },
  { versionKey: false, minimize: false },
);
export const PriceHistory = model('PriceHistory', priceHistorySchema, 'price_history');
