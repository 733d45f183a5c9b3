import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { keyParts } from '../key-parts.ts';
import type { SignedParts, UnsignedCall } from '../provider.ts';

/** Amazon's SHA-256 as its signer wants it, by the platform's own code: bodies are long. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array | string);
  }

  update(bytes: unknown): void {
    this.#hash.update(bytes as Uint8Array | string);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is made once');
  }
}

/** Signature version 4. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
export async function signV4({ url, body, target, atMs }: UnsignedCall, type: number): Promise<SignedParts> {
  const [accessKeyId = '', secretAccessKey = '', region = ''] = keyParts(type, target.key);
  const { host, hostname, pathname } = new URL(url);
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: 'bedrock', region, credentials, sha256: Sha256, applyChecksum: false });
  const call = {
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: pathname,
    headers: { host, 'content-type': 'application/json' },
    body,
  };
  const { headers } = await signer.sign(call, { signingDate: new Date(atMs) });
  return { headers: { 'x-amz-date': headers['x-amz-date'] ?? '', authorization: headers.authorization ?? '' } };
}
