import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { Refusal } from './refusal.ts';

/** The files of a backup, beside its `manifest.json`. */
export const backupFiles = { redis: 'redis.rdb', store: 'store.sqlite', secrets: 'secrets.json' };

const manifestSchema = z.object({
  format: z.literal(1),
  /** Redis, and so the bus, is as it was then; the store as it was a little later. ISO 8601. */
  redisAt: z.string(),
  storeAt: z.string(),
  /** Which master key sealed the secrets in it. */
  masterKeyId: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});
export type BackupManifest = z.output<typeof manifestSchema>;

interface CopiedFile {
  bytes: number;
  sha256: string;
}

/** Copies a file to where it is on disk when this resolves, for its owner alone. */
export async function copyFileSafely(from: string, to: string): Promise<CopiedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from, { highWaterMark: 1 << 20 }), measure, createWriteStream(to, { mode: 0o600, flush: true }));
  return { bytes, sha256: hash.digest('hex') };
}

export function writeManifest(folder: string, manifest: BackupManifest): void {
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
}

/** Throws Refusal when the folder is no backup, or one of another version. */
export function readManifest(folder: string): BackupManifest {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) throw new Refusal(`${folder} is not a backup: it has no manifest.json. Name the folder that npm run backup made.`);
  const parsed = manifestSchema.safeParse(jsonOrNothing(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new Refusal(`${file} cannot be read: it is damaged, or of a newer version of Tollgate.`);
  return parsed.data;
}

/** Copies a file of a backup. Throws Refusal when it is not as it was written. */
export async function takeFromBackup(folder: string, { files }: BackupManifest, { name, to }: { name: string; to: string }): Promise<void> {
  const from = join(folder, name);
  if (!existsSync(from)) throw new Refusal(`${from} is missing: the backup is not whole.`);
  const { bytes, sha256 } = await copyFileSafely(from, to);
  if (files[name]?.bytes !== bytes || files[name].sha256 !== sha256)
    throw new Refusal(`${from} is not as it was written: the backup is damaged. Nothing was restored.`);
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
