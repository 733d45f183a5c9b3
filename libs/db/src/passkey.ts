import { type InferSchemaType, model, Schema } from 'mongoose';

/** Passkeys of people: what of a credential is public. Who holds its private half signs in with nothing else. */
const passkeySchema = new Schema(
  {
    /** The credential's id, base64url. */
    id: { type: String, required: true },
    userId: { type: Number, required: true },
    name: { type: String, required: true },
    /** COSE, base64url. */
    publicKey: { type: String, required: true },
    /** Rises with each use where the authenticator counts; a copy betrays itself by a lower one. */
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
