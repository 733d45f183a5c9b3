import { role, userStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { versioned } from './versioned.ts';

/** Accounts. Their money is in `wallets`, so that saving a profile cannot touch it. */
const userSchema = new Schema(
  {
    id: { type: Number, required: true },
    username: { type: String, required: true },
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
    /** sha256 of the system access token. */
    accessTokenHash: { type: String, select: false },
    affCode: { type: String, required: true },
    affCount: { type: Number, default: 0 },
    affQuota: { type: Number, default: 0 },
    affHistoryQuota: { type: Number, default: 0 },
    inviterId: { type: Number, default: 0 },
    setting: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
userSchema.index({ id: 1 }, { unique: true });
userSchema.index({ username: 1 }, { unique: true });
userSchema.index({ affCode: 1 }, { unique: true });
userSchema.index({ accessTokenHash: 1 }, { unique: true, sparse: true });
userSchema.index({ email: 1 });

export type UserDoc = InferSchemaType<typeof userSchema>;
export const User = model('User', userSchema, 'users');
