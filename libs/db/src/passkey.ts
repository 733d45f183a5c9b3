import { type InferSchemaType, model, Schema } from 'mongoose';

/** Passkeys: the public part of a user's credentials. The private key signs in without a password. */
const passkeySchema = new Schema(
  {
    /** The credential's id, base64url. */
    id: { type: String, required: true },
    userId: { type: Number, required: true },
    name: { type: String, required: true },
    /** COSE, base64url. */
    publicKey: { type: String, required: true },
    /** Increases with each use if the authenticator counts. A lower value reveals a copied key. */
    counter: { type: Number, required: true },
    transports: { type: [String], default: [] },
    createdAt: { type: Date, required: true },
    usedAt: { type: Date },
  },
  { versionKey: false },
);
passkeySchema.index({ id: 1 }, { unique: true });
passkeySchema.index({ userId: 1 });

export type PasskeyDoc = InferSchemaType<typeof passkeySchema>;
export const Passkey = model('Passkey', passkeySchema, 'passkeys');
