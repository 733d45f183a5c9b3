import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose alone, such as `tollgate:sessions:v1`: what leaks of one opens no other. */
export function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}

/** The same of several master keys: the first makes what is new, all of them know what is theirs. */
export function derivedKeys(masterKey: Buffer, also: readonly Buffer[], purpose: string): [Buffer, ...Buffer[]] {
  return [derivedKey(masterKey, purpose), ...also.map((each) => derivedKey(each, purpose))];
}
