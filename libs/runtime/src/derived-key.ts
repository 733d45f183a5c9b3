import { hkdfSync } from 'node:crypto';

/** A key of 32 bytes for one purpose alone, such as `tollgate:sessions:v1`: what leaks of one opens no other. */
export function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
