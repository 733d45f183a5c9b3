import { role, userStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { versioned } from './versioned.ts';

/** Quota that is to be given, once by its id: to the account itself, or to the invitations of the one who invited it. */
const owedSchema = new Schema(
  {
    id: { type: String, required: true },
    amount: { type: Number, required: true },
    inviterId: { type: Number },
    text: { type: Schema.Types.Mixed, required: true },
  },
  { _id: false },
);

/** The second step of signing in (RFC 6238). */
const totpSchema = new Schema(
  {
    /** Sealed for its account. */
    secret: { type: String, required: true },
    /** The newest step of time that a code was taken of: it and all before are used up. */
    lastStep: { type: Number, required: true },
    /** Digests of the recovery codes that are left. */
    recovery: { type: [String], required: true },
    since: { type: Date, required: true },
  },
  { _id: false },
);

/** Accounts. Their money is in `wallets`, so that saving a profile cannot touch it. */
const userSchema = new Schema(
  {
    id: { type: Number, required: true },
    username: { type: String, required: true },
    /** See `nameKeyOf`. An account has none where an older one had the same before names were compared so. */
    nameKey: { type: String },
    /** What the name looks like (UTS #39). An account has none where an older one looked the same before names were compared so. */
    nameSkeleton: { type: String },
    displayName: { type: String, default: '' },
    /** argon2id; absent for accounts that only sign in through a provider. */
    passwordHash: { type: String, select: false },
    /** The password is one that was printed: nothing else can be done before it is changed. */
    mustChangePassword: { type: Boolean },
    role: { type: Number, default: role.user },
    status: { type: Number, default: userStatus.enabled },
    group: { type: String, default: 'default' },
    email: { type: String, default: '' },
    githubId: { type: String, default: '' },
    wechatId: { type: String, default: '' },
    telegramId: { type: String, default: '' },
    linuxDoId: { type: String, default: '' },
    /** The issuer and the name there, with a blank between. */
    oidcId: { type: String, default: '' },
    totp: { type: totpSchema, select: false },
    /** sha256 of the system access token. */
    accessTokenHash: { type: String, select: false },
    affCode: { type: String, required: true },
    affCount: { type: Number, default: 0 },
    affQuota: { type: Number, default: 0 },
    affHistoryQuota: { type: Number, default: 0 },
    inviterId: { type: Number, default: 0 },
    /** What was decided in one write with the account or a transfer, until it is given: see the console's `owed.ts`. */
    owed: { type: [owedSchema], default: undefined },
    /** The latest rewards for invitations, by their ids: none is given twice. */
    rewards: { type: [String], default: undefined, select: false },
    /** Digests of addresses and ids elsewhere that were given up: whoever opens an account with one gets no gift again. */
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
// A search looks through its keys, not through the accounts: newest first, by what it may find.
userSchema.index({ id: 1, username: 1, displayName: 1, email: 1 });
userSchema.index({ affCode: 1 }, { unique: true });
userSchema.index({ 'owed.id': 1 }, { sparse: true });
userSchema.index({ formerProofs: 1 }, { sparse: true });
userSchema.index({ accessTokenHash: 1 }, { unique: true, sparse: true });
/** What proves who somebody is: it belongs to one account, a closed one too. */
export const proofFields = ['email', 'githubId', 'wechatId', 'telegramId', 'linuxDoId', 'oidcId'] as const;
export type Proof = (typeof proofFields)[number];
/** Accounts without it are in none of these indexes. */
for (const proof of proofFields)
  userSchema.index({ [proof]: 1 }, { name: `${proof}_unique`, unique: true, partialFilterExpression: { [proof]: { $gt: '' } } });

/** What of a user name is compared: two that differ only by case, or by how the same letters are encoded or set, are the same. */
export function nameKeyOf(username: string): string {
  return username.normalize('NFKC').toLowerCase().normalize('NFKC');
}

export type UserDoc = InferSchemaType<typeof userSchema>;
export const User = model('User', userSchema, 'users');
