import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

const secretsSchema = z.object({ masterKey: z.string().min(32), redisPassword: z.string().min(16) });
export type Secrets = z.output<typeof secretsSchema>;

/**
 * The secrets of this installation, made once. Losing the file means losing every stored channel key, so a damaged one is
 * refused and never replaced.
 */
export function readOrMakeSecrets(file: string): Secrets {
  if (existsSync(file)) return readSecrets(file);
  const secrets = { masterKey: randomBytes(32).toString('base64'), redisPassword: randomBytes(24).toString('hex') };
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
  return secrets;
}

function readSecrets(file: string): Secrets {
  chmodSync(file, 0o600);
  try {
    return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Refusal(
      `${file} cannot be read as the secrets of this installation (${(error as Error).name}). Restore it from a backup: stored channel keys open with no other.`,
    );
  }
}
