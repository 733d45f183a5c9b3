import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** No configured master key opens this sealed text. */
export class NotUnsealable extends Error {
  override name = 'NotUnsealable';
}

/** The keys derived from one master key. */
interface SealingKey {
  id: string;
  key: Buffer;
}

/** The first one seals; all of them open. */
let keys: SealingKey[] = [];

/** Sets the master key that seals new secrets, and further ones that only open. The derived keys serve this purpose alone. */
export function configureSealing(masterKey: Buffer, also: readonly Buffer[] = []): void {
  keys = [masterKey, ...also].map((each) => ({ id: masterKeyId(each), key: derived(each, 'tollgate:sealed-fields:v1', 32) }));
}

/** Identifies a master key without revealing it: 12 hexadecimal digits. */
export function masterKeyId(masterKey: Buffer): string {
  if (masterKey.length < 32) throw new Error('MASTER_KEY must hold at least 32 bytes');
  return derived(masterKey, 'tollgate:key-id:v1', 6).toString('hex');
}

/** The ids of the configured keys, the sealing one first. */
export function sealingKeyIds(): string[] {
  return keys.map(({ id }) => id);
}

/**
 * Encrypts with AES-256-GCM. `place` (such as `channel:12:key`) is authenticated, so the text is useless anywhere else. With several master
 * keys the text names its key (`v2.<key id>.`); with one it has the format of earlier releases (`v1.`).
 */
export function seal(plain: string, place: string): string {
  const { id, key } = sealingKey();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const text = Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  return keys.length > 1 ? `v2.${id}.${text}` : `v1.${text}`;
}

/** Throws when the text was sealed for another place or under a key that is not configured. */
export function unseal(text: string, place: string): string {
  const { keyId, bytes } = parse(text, place);
  const fitting = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId);
  if (keys.length === 0) throw new Error('configureSealing was not called');
  if (fitting.length === 0)
    throw new NotUnsealable(
      `${place} cannot be unsealed: it was sealed with master key ${keyId}, which is neither MASTER_KEY nor in MASTER_KEYS_ALSO`,
    );
  let cause: unknown;
  for (const { key } of fitting) {
    try {
      return open(bytes, key, place);
    } catch (error) {
      cause = error;
    }
  }
  throw new NotUnsealable(`${place} cannot be unsealed: MASTER_KEY is not the one it was sealed with`, { cause });
}

/** Whether a text is sealed. */
export function isSealed(text: string): boolean {
  return /^v[12]\./.test(text);
}

/** Seals a secret again under the current key; returns the same text when it already is. Throws like `unseal`. */
export function resealed(text: string, place: string): string {
  return text.startsWith(`v2.${sealingKey().id}.`) ? text : seal(unseal(text, place), place);
}

/** A digest that requires the master key. It finds equal secrets without unsealing them. */
export function sealedDigest(plain: string, purpose: string): string {
  return digestUnder(sealingKey(), plain, purpose);
}

/** The digests of a text under all configured keys, the current one first. */
export function sealedDigests(plain: string, purpose: string): string[] {
  sealingKey();
  return keys.map((each) => digestUnder(each, plain, purpose));
}

function digestUnder({ key }: SealingKey, plain: string, purpose: string): string {
  return createHmac('sha256', key).update(`${purpose}:`).update(plain).digest('base64url');
}

function parse(text: string, place: string): { keyId: string | undefined; bytes: Buffer } {
  const [, keyId, content] = /^(?:v1|v2\.([0-9a-f]+))\.(.*)$/s.exec(text) ?? [];
  if (content === undefined) throw new Error(`${place} is not sealed`);
  return { keyId, bytes: Buffer.from(content, 'base64') };
}

function open(bytes: Buffer, key: Buffer, place: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

function sealingKey(): SealingKey {
  const [first] = keys;
  if (!first) throw new Error('configureSealing was not called');
  return first;
}

function derived(masterKey: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, bytes));
}
