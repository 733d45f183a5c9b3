import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

/** Marks a SQLite file as an export; its one row holds the format, and the salt and a proof of the passphrase. */
export const exportTable = 'tollgate_export';
/** Files of a later format are refused. */
export const exportFormat = 1;

/** The columns of an export that hold secrets, by table. `own` holds what only Tollgate stores of a row. */
export const secretColumns: Readonly<Record<string, readonly string[]>> = {
  tollgate_export: ['proof'],
  users: ['own'],
  two_fas: ['secret'],
  tokens: ['key'],
  channels: ['key', 'setting'],
  redemptions: ['key'],
  options: ['value'],
};

const prefix = 'tg1.';
/** scrypt takes about 0.1 s and 32 MB with them (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html). */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 128 * 2 ** 20 };

/** Encrypts and decrypts the secrets of one export. A value is bound to the name of its column. */
export interface Portable {
  encrypt(plain: string, column: string): string;
  /** Texts that are not encrypted come back as they are. Throws where the passphrase is another one, or the text was changed. */
  decrypt(text: string, column: string): string;
}

export function newSalt(): string {
  return randomBytes(16).toString('base64');
}

export function portableWith(passphrase: string, salt: string): Portable {
  const key = scryptSync(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, cost);
  return {
    encrypt(plain, column) {
      if (plain === '') return '';
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(column));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    decrypt(text, column) {
      if (!text.startsWith(prefix)) return text;
      const bytes = Buffer.from(text.slice(prefix.length), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(column))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
