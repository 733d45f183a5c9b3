import { type CallbackVerdict, orderStatuses } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';

/** Money on its way in. What an order costs and gives is decided when it is made, whatever prices are when it is paid. */
const orderSchema = new Schema(
  {
    tradeNo: { type: String, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    /** As it was asked for: dollars or quota. */
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
    /** The administrator who said that it is paid. */
    completedBy: { type: String, default: '' },
    /** It is paid, and the ledger does not have it yet. */
    isOwed: { type: Boolean },
    /** The payer's side: the id of Stripe's payment. */
    paymentId: { type: String },
    /** What went back, each by the payer's id (a refund's or a dispute's), and the quota that the balance still carried of its share. */
    refunds: { type: Schema.Types.Mixed, default: [] },
    /** Where a balance did not carry a refund's share: what is asked of it instead, each under the id of its ledger entry. */
    refundParts: { type: Schema.Types.Mixed },
    /** The last ones that bore a good signature. */
    callbacks: { type: Schema.Types.Mixed, default: [] },
  },
  { versionKey: false },
);
orderSchema.index({ tradeNo: 1 }, { unique: true });
orderSchema.index({ userId: 1, createdAt: -1 });
orderSchema.index({ createdAt: -1 });
orderSchema.index({ paymentId: 1 }, { partialFilterExpression: { paymentId: { $gt: '' } } });
orderSchema.index({ status: 1, createdAt: 1 });
// Hardly ever are there any, and all of them are asked for again and again.
orderSchema.index({ isOwed: 1 }, { partialFilterExpression: { isOwed: true } });

export interface OrderCallback {
  at: Date;
  verdict: CallbackVerdict;
  /** Where it came from. */
  address: string;
  /** Its parameters as JSON, without the signature. */
  content: string;
}

export interface OrderRefund {
  id: string;
  cents: number;
  taken: number;
  /** It has come back: the payer disputed his payment, and was not right, or the refund failed. */
  isWon?: boolean;
}

export type OrderDoc = Omit<InferSchemaType<typeof orderSchema>, 'callbacks' | 'refunds' | 'refundParts'> & {
  callbacks: OrderCallback[];
  refunds?: OrderRefund[];
  refundParts?: { id: string; quota: number }[];
};
export const Order = model('Order', orderSchema, 'orders');
