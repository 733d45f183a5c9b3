import { createDecipheriv, createHash } from 'node:crypto';
import nacl from 'tweetnacl';

const gcmPrefix = 'v2:gcm:';
const nonceBytes = 24;

/**
 * Decrypts one value of LiteLLM's database: `v2:gcm:` marks AES-256-GCM, other texts are NaCl secret boxes. Undefined where the key does not
 * fit or nothing is encrypted. https://github.com/BerriAI/litellm/blob/main/litellm/proxy/common_utils/encrypt_decrypt_utils.py
 */
export function litellmDecrypter(saltKey: string): (text: string) => string | undefined {
  const key = createHash('sha256').update(saltKey).digest();
  return (text) => {
    if (text.startsWith(gcmPrefix)) return openGcm(Buffer.from(text.slice(gcmPrefix.length), 'base64url'), key);
    const bytes = Buffer.from(text, 'base64'); // reads the URL-safe form, too
    if (bytes.length <= nonceBytes + nacl.secretbox.overheadLength) return undefined;
    const plain = nacl.secretbox.open(bytes.subarray(nonceBytes), bytes.subarray(0, nonceBytes), key);
    return plain === null ? undefined : Buffer.from(plain).toString('utf8');
  };
}

function openGcm(bytes: Buffer, key: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
