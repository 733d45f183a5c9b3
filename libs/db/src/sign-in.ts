import { type InferSchemaType, model, Schema } from 'mongoose';

/** Sign-ins and failed attempts, with method and address, shown to the account's owner. The newest hundred of each kind are kept. */
const signInSchema = new Schema(
  {
    userId: { type: Number, required: true },
    at: { type: Date, required: true },
    /** `password`, `passkey`, or the provider's name. */
    way: { type: String, required: true },
    isGood: { type: Boolean, required: true },
    address: { type: String, default: '' },
    agent: { type: String, default: '' },
  },
  { versionKey: false },
);
signInSchema.index({ userId: 1, at: -1 });
signInSchema.index({ userId: 1, isGood: 1, at: -1 });

export type SignInDoc = InferSchemaType<typeof signInSchema>;
export const SignIn = model('SignIn', signInSchema, 'sign_ins');
