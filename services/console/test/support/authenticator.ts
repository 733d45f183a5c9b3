import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

interface Creation {
  challenge: string;
  rp: { id?: string };
  user: { id: string };
}

/** An authenticator in software, of one credential (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data). */
export function newAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  let handle = '';

  const digest = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
  const clientData = (type: string, challenge: string, at: string): Buffer =>
    Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin: at, crossOrigin: false }));
  const uint = (value: number, bytes: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntBE(value, 0, bytes);
    return buffer;
  };
  /** Flags: user present (1), verified (4), credential included (64). */
  const authenticatorData = (party: string, flags: number, more: Buffer = Buffer.alloc(0)): Buffer =>
    Buffer.concat([digest(party), uint(flags, 1), uint(counter, 4), more]);

  /** {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR. */
  const coseKey = (): Buffer => {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const bytes = (text: string): Buffer => Buffer.concat([Buffer.from('5820', 'hex'), Buffer.from(text, 'base64url')]);
    return Buffer.concat([Buffer.from('a5010203262001', 'hex'), Buffer.from('21', 'hex'), bytes(x), Buffer.from('22', 'hex'), bytes(y)]);
  };

  return {
    create({ challenge, rp, user }: Creation, { at = origin, party = rp.id ?? '', flags = 0x45 } = {}) {
      handle = user.id;
      const credential = Buffer.concat([Buffer.alloc(16), uint(id.length, 2), id, coseKey()]);
      const data = authenticatorData(party, flags, credential);
      // {"fmt": "none", "attStmt": {}, "authData": data}
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a06861757468446174', 'hex'),
        Buffer.from('61', 'hex'),
        Buffer.from('59', 'hex'),
        uint(data.length, 2),
        data,
      ]);
      return wrapped({
        clientDataJSON: clientData('create', challenge, at).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    answer(challenge: string, { at = origin, party = new URL(origin).hostname, flags = 0x05, step = 1 } = {}) {
      counter += step;
      const data = authenticatorData(party, flags);
      const client = clientData('get', challenge, at);
      const signature = sign('sha256', Buffer.concat([data, digest(client)]), privateKey);
      return wrapped({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: handle,
      });
    },
  };

  function wrapped(response: Record<string, unknown>) {
    const name = id.toString('base64url');
    return { id: name, rawId: name, type: 'public-key', response, clientExtensionResults: {} };
  }
}
