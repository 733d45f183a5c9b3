import { role, userStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { versioned } from './versioned.ts';

/** Quota to be granted once by its id, to the account itself or for invitations to its inviter. */
const owedSchema = new Schema(
  {
    id: { type: String, required: true },
    amount: { type: Number, required: true },
    inviterId: { type: Number },
    text: { type: Schema.Types.Mixed, required: true },
  },
  { _id: false },
);

/** The second factor (RFC 6238). */
const totpSchema = new Schema(
  {
    /** Sealed for its account. */
    secret: { type: String, required: true },
    /** The last used time step: it and all before are rejected. */
    lastStep: { type: Number, required: true },
    /** Digests of the unused recovery codes. */
    recovery: { type: [String], required: true },
    since: { type: Date, required: true },
  },
  { _id: false },
);

/** Accounts. Their money is in `wallets`, so that saving a profile cannot change it. */
const userSchema = new Schema(
  {
    id: { type: Number, required: true },
    username: { type: String, required: true },
    /** See `nameKeyOf`. Missing when an older account had the same name before names were compared this way. */
    nameKey: { type: String },
    /** The visual skeleton of the name (UTS #39). Missing when an older account looked the same before names were compared this way. */
    nameSkeleton: { type: String },
    displayName: { type: String, default: '' },
    /** argon2id; absent for accounts that only sign in through a provider. */
    passwordHash: { type: String, select: false },
    /** The password was generated and printed, and must be changed before anything else. */
    mustChangePassword: { type: Boolean },
    role: { type: Number, default: role.user },
    status: { type: Number, default: userStatus.enabled },
    group: { type: String, default: 'default' },
    email: { type: String, default: '' },
    githubId: { type: String, default: '' },
    wechatId: { type: String, default: '' },
    telegramId: { type: String, default: '' },
    linuxDoId: { type: String, default: '' },
    /** Issuer and subject, separated by a space. */
    oidcId: { type: String, default: '' },
    totp: { type: totpSchema, select: false },
    /** sha256 of the system access token. */
    accessTokenHash: { type: String, select: false },
    affCode: { type: String, required: true },
    affCount: { type: Number, default: 0 },
    affQuota: { type: Number, default: 0 },
    affHistoryQuota: { type: Number, default: 0 },
    inviterId: { type: Number, default: 0 },
    /** Grants recorded in the same write as an account or a transfer, until they are paid: see the console's `owed.ts`. */
    owed: { type: [owedSchema], default: undefined },
    /** The ids of the latest invitation rewards, which prevent a second grant. */
    rewards: { type: [String], default: undefined, select: false },
    /** Digests of removed addresses and external ids: an account created with one gets no sign-up bonus again. */
    formerProofs: { type: [String], default: undefined, select: false },
    setting: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
userSchema.index({ id: 1 }, { unique: true });
userSchema.index({ username: 1 }, { unique: true });
userSchema.index({ nameKey: 1 }, { name: 'nameKey_unique', unique: true, partialFilterExpression: { nameKey: { $gt: '' } } });
userSchema.index(
  { nameSkeleton: 1 },
  { name: 'nameSkeleton_unique', unique: true, partialFilterExpression: { nameSkeleton: { $gt: '' } } },
);
userSchema.index({ group: 1, id: -1 });
// A search scans its keys instead of the accounts, newest first.
userSchema.index({ id: 1, username: 1, displayName: 1, email: 1 });
userSchema.index({ affCode: 1 }, { unique: true });
userSchema.index({ 'owed.id': 1 }, { sparse: true });
userSchema.index({ formerProofs: 1 }, { sparse: true });
userSchema.index({ accessTokenHash: 1 }, { unique: true, sparse: true });
/** Identities that belong to one account, even to a closed one. */
export const proofFields = ['email', 'githubId', 'wechatId', 'telegramId', 'linuxDoId', 'oidcId'] as const;
export type Proof = (typeof proofFields)[number];
/** Accounts without an identity are not in its index. */
for (const proof of proofFields)
  userSchema.index({ [proof]: 1 }, { name: `${proof}_unique`, unique: true, partialFilterExpression: { [proof]: { $gt: '' } } });

/** The key by which user names are compared: it ignores case and Unicode encoding and presentation variants. */
export function nameKeyOf(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export type UserDoc = InferSchemaType<typeof userSchema>;
export const User = model('User', userSchema, 'users');
