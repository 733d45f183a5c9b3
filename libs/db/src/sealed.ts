import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

let key: Buffer | undefined;

/** Sets the key that secrets are sealed with, derived from the master key for this purpose alone. */
export function configureSealing(masterKey: Buffer): void {
  if (masterKey.length < 32) throw new Error('MASTER_KEY must hold at least 32 bytes');
  key = Buffer.from(hkdfSync('sha256', masterKey, '', 'tollgate:sealed-fields:v1', 32));
}

/** AES-256-GCM; `place` (such as `channel:12:key`) is authenticated, so a sealed text is of no use anywhere else. */
export function seal(plain: string, place: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOrThrow(), nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}

/** Throws when the text was sealed for another place or under another master key. */
export function unseal(text: string, place: string): string {
  if (!text.startsWith('v1.')) throw new Error(`${place} is not sealed`);
  const bytes = Buffer.from(text.slice(3), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyOrThrow(), bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error(`${place} cannot be unsealed: MASTER_KEY is not the one it was sealed with`, { cause });
  }
}

/** A digest that only who has the master key can make: equal texts are found by it without being unsealed. */
export function sealedDigest(plain: string, purpose: string): string {
  return createHmac('sha256', keyOrThrow()).update(`${purpose}:`).update(plain).digest('base64url');
}

function keyOrThrow(): Buffer {
  if (!key) throw new Error('configureSealing was not called');
  return key;
}
