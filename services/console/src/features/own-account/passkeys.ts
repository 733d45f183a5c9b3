import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { type CredentialBody, type LoginView, type PasskeyView, userStatus } from '@tollgate/contracts';
import { isDuplicate, Passkey, sealedDigest, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Caller } from '../../auth/caller.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { open } from '../sign-in/enter.ts';
import { canSignIn, valueIn } from '../third-party/working-ways.ts';

const perUser = 20;

/** Some 300 files, which only who has passkeys has to load. */
const webAuthn = () => import('@simplewebauthn/server');

export async function listPasskeys({ id: userId }: Pick<Caller, 'id'>): Promise<PasskeyView[]> {
  const rows = await Passkey.find({ userId }).sort({ createdAt: -1 }).lean();
  return rows.map(({ id, name, createdAt, usedAt }) => ({
    id,
    name,
    created_time: seconds(createdAt),
    used_time: usedAt ? seconds(usedAt) : 0,
  }));
}

/** What a browser needs to make a passkey: one that says by itself whose it is, and asks its holder to prove to be him. */
export async function beginPasskey({ options }: Context, caller: Caller, req: Request) {
  const own = await Passkey.find({ userId: caller.id }).select('id transports').lean();
  if (own.length >= perUser) throw tooMany();
  const { SystemName } = options.values;
  return (await webAuthn()).generateRegistrationOptions({
    rpName: SystemName || 'Tollgate',
    rpID: partyOf(req).id,
    userName: caller.username,
    userID: handleOf(caller.id),
    attestationType: 'none',
    excludeCredentials: own.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

export async function finishPasskey(
  { name, response }: { name: string; response: CredentialBody },
  { caller, req, challenge }: { caller: Caller; req: Request; challenge: string },
): Promise<void> {
  const { id: expectedRPID, origins } = partyOf(req);
  const answer = response as unknown as RegistrationResponseJSON;
  const { verifyRegistrationResponse } = await webAuthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID,
    requireUserVerification: true,
  }).catch(asRefused);
  if (!registrationInfo) throw new AppError('passkey_refused');
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const row = { id, userId: caller.id, name, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  await Passkey.create({ ...row, createdAt: new Date() }).catch((error) => {
    throw isDuplicate(error) ? new AppError('passkey_refused', {}, { cause: error }) : error;
  });
  // Asked again afterwards: many may have been begun before the first was kept.
  if ((await Passkey.countDocuments({ userId: caller.id })) <= perUser) return;
  await Passkey.deleteOne({ id });
  throw tooMany();
}

/** Names no account: the passkey says whose it is, and nobody learns who has one. */
export async function beginPasskeySignIn(req: Request) {
  return (await webAuthn()).generateAuthenticationOptions({ rpID: partyOf(req).id, userVerification: 'required' });
}

/** A passkey is something one has, unlocked by something one knows or is: no second step is asked for. */
export async function finishPasskeySignIn(
  context: Context,
  response: CredentialBody,
  { req, challenge, visit }: { req: Request; challenge: string; visit: Visit },
): Promise<{ view: LoginView; cookie: string }> {
  const passkey = await Passkey.findOne({ id: response.id }).lean();
  const user = passkey && (await User.findOne({ id: passkey.userId, deletedAt: null }).select('+passwordHash').lean());
  if (!passkey || !user) throw new AppError('passkey_refused');
  const { id: expectedRPID, origins } = partyOf(req);
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID,
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
      transports: passkey.transports,
    },
  }).catch(asRefused);
  if (!verified) throw new AppError('passkey_refused');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  await Passkey.updateOne({ id: passkey.id }, { $set: { counter: authenticationInfo.newCounter, usedAt: new Date() } });
  return open(context, { user, way: 'passkey', visit, isStrong: true });
}

/** Throws `last_way_in` where the account could not sign in without it. */
export async function forgetPasskey({ options }: Context, id: string, caller: Caller): Promise<void> {
  const own = await Passkey.find({ userId: caller.id }).select('id').lean();
  if (!own.some((each) => each.id === id)) throw new AppError('record_not_found');
  const user = await User.findOne({ id: caller.id }).select('+passwordHash').lean();
  if (!canSignIn({ ...user, hasPasskey: own.length > 1 }, valueIn(options.values))) throw new AppError('last_way_in');
  await Passkey.deleteOne({ id, userId: caller.id });
}

/** Passkeys belong to the name of the site, which is that of the address bar: the request's host was checked at the door. */
function partyOf(req: Request): { id: string; origins: string[] } {
  const host = req.host ?? '';
  const id = URL.parse(`http://${host}`)?.hostname ?? '';
  if (id === '' || ipaddr.isValid(id.replace(/^\[|\]$/g, ''))) throw new AppError('passkeys_need_name');
  // Behind a proxy that ends TLS we see http; browsers make no passkeys over http but on loopback.
  return { id, origins: [`https://${host}`, `http://${host}`] };
}

/** Says nothing of the account to whoever holds the authenticator. */
function handleOf(userId: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(sealedDigest(String(userId), 'passkey-owner'), 'base64url'));
}

function tooMany(): AppError {
  return new AppError('too_many_passkeys', { limit: perUser });
}

function asRefused(cause: unknown): never {
  throw new AppError('passkey_refused', {}, { cause });
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
