import { hkdfSync } from 'node:crypto';

/** Derives a 32-byte key for one purpose, such as `tollgate:sessions:v1`. A leaked key is useless for other purposes. */
export function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}

/** Derives the key from several master keys: the first is used for new data, all of them to verify or open. */
export function derivedKeys(masterKey: Buffer, also: readonly Buffer[], purpose: string): [Buffer, ...Buffer[]] {
  return [derivedKey(masterKey, purpose), ...also.map((each) => derivedKey(each, purpose))];
}
