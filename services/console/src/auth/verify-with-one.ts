import jwt from 'jsonwebtoken';

/** What a JWT says that one of these keys has signed. Throws the first key's error when none has. */
export function verifyWithOne(token: string, keys: readonly Buffer[], options: { algorithms: ['HS256']; issuer: string }): unknown {
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
