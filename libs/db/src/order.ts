import { type CallbackVerdict, orderStatuses } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';

/** Incoming payments. Price and quota of an order are fixed when it is created. */
const orderSchema = new Schema(
  {
    tradeNo: { type: String, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    /** As requested: dollars or quota. */
    amount: { type: Number, required: true },
    quota: { type: Number, required: true },
    /** Hundredths of the currency. */
    cents: { type: Number, required: true },
    currency: { type: String, required: true },
    method: { type: String, required: true },
    status: { type: String, enum: orderStatuses, required: true },
    createdAt: { type: Date, required: true },
    paidAt: { type: Date, default: null },
    completedAt: { type: Date, default: null },
    /** The administrator who marked it as paid. */
    completedBy: { type: String, default: '' },
    /** Paid, but not in the ledger yet. */
    isOwed: { type: Boolean },
    /** The payment provider's id: Stripe's payment id. */
    paymentId: { type: String },
    /** Refunds and disputes, each with the payment provider's id and the part of the quota that the balance covered. */
    refunds: { type: Schema.Types.Mixed, default: [] },
    /** Quota still to be recovered where the balance did not cover a refund, by ledger entry id. */
    refundParts: { type: Schema.Types.Mixed },
    /** The latest callbacks with a valid signature. */
    callbacks: { type: Schema.Types.Mixed, default: [] },
  },
  { versionKey: false },
);
orderSchema.index({ tradeNo: 1 }, { unique: true });
orderSchema.index({ userId: 1, createdAt: -1 });
orderSchema.index({ createdAt: -1 });
orderSchema.index({ paymentId: 1 }, { partialFilterExpression: { paymentId: { $gt: '' } } });
orderSchema.index({ status: 1, createdAt: 1 });
// Rarely matches a row and is queried continuously.
orderSchema.index({ isOwed: 1 }, { partialFilterExpression: { isOwed: true } });

export interface OrderCallback {
  at: Date;
  verdict: CallbackVerdict;
  /** The sender's address. */
  address: string;
  /** The parameters as JSON, without the signature. */
  content: string;
}

export interface OrderRefund {
  id: string;
  cents: number;
  taken: number;
  /** The money came back: the payer lost the dispute, or the refund failed. */
  isWon?: boolean;
}

export type OrderDoc = Omit<InferSchemaType<typeof orderSchema>, 'callbacks' | 'refunds' | 'refundParts'> & {
  callbacks: OrderCallback[];
  refunds?: OrderRefund[];
  refundParts?: { id: string; quota: number }[];
};
export const Order = model('Order', orderSchema, 'orders');
