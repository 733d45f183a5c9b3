import { createSecretKey, type KeyObject } from 'node:crypto';
import { derivedKeys } from '@tollgate/runtime';
import jwt from 'jsonwebtoken';

/**
 * Keys for JWTs of one purpose: the first signs, all of them know what is theirs. As objects, for of mere bytes each look at a token
 * tries first whether they are a public key.
 */
export function jwtKeys(...of: Parameters<typeof derivedKeys>): [KeyObject, ...KeyObject[]] {
  const [first, ...also] = derivedKeys(...of);
  return [createSecretKey(first), ...also.map((key) => createSecretKey(key))];
}

/** What a JWT says that one of these keys has signed. Throws the first key's error when none has. */
export function verifyWithOne(token: string, keys: readonly KeyObject[], options: { algorithms: ['HS256']; issuer: string }): unknown {
  let refusal: unknown;
  for (const key of keys) {
    try {
      return jwt.verify(token, key, options);
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}
