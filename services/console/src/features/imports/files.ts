import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mostUploadBytes } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Request, Response } from 'express';
import { writeExport } from '../../export/write-export.ts';

const folder = join(tmpdir(), `tollgate-files-${process.getuid?.() ?? 0}`);
const scheme = 'upload:';
/** How SQLite files begin (https://www.sqlite.org/fileformat.html). */
const magic = 'SQLite format 3\0';

async function ownFolder(): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(folder);
  if (uid !== (process.getuid?.() ?? uid) || (mode & 0o077) !== 0) throw new Error(`${folder} can be read by others`);
  return folder;
}

/**
 * Keeps the body of a request as a file until the next one comes, and returns what names it as a source. Throws: AppError where it is too
 * large or no SQLite file.
 */
export async function keepUpload(request: Request): Promise<string> {
  const refuse = (reason: string) => new AppError('invalid_parameter', { reason });
  if (Number(request.headers['content-length'] ?? 0) > mostUploadBytes) throw new AppError('body_too_large', { limit: mostUploadBytes });
  await dropUploads();
  const id = randomUUID();
  const path = join(await ownFolder(), `${id}.db`);
  let length = 0;
  let head = '';
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (head.length < magic.length) head = (head + chunk.toString('latin1')).slice(0, magic.length);
      done(length > mostUploadBytes ? new AppError('body_too_large', { limit: mostUploadBytes }) : null, chunk);
    },
  });
  try {
    await pipeline(request, bounded, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
    if (head !== magic) throw refuse('the file is no SQLite database');
    return `${scheme}${id}`;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The path of an uploaded file; undefined for any other source. Throws: AppError where the file is gone. */
export async function uploadedPath(from: string): Promise<string | undefined> {
  if (!from.startsWith(scheme)) return undefined;
  const id = from.slice(scheme.length);
  const path = join(folder, `${id}.db`);
  const isThere = /^[0-9a-f-]{36}$/.test(id) && (await stat(path).catch(() => undefined)) !== undefined;
  if (!isThere) throw new AppError('invalid_parameter', { reason: 'the uploaded file is not here any more: upload it again' });
  return path;
}

export async function dropUploads(): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) if (name.endsWith('.db')) await rm(join(folder, name), { force: true });
}

/** Makes an export and sends it. */
export async function sendWhole(response: Response, wanted: { passphrase: string; logs: boolean }): Promise<void> {
  const path = join(await ownFolder(), `${randomUUID()}.export`);
  try {
    await writeExport({ path, ...wanted });
    response.attachment(`tollgate-${new Date().toISOString().slice(0, 10)}.db`).type('application/vnd.sqlite3');
    response.setHeader('content-length', (await stat(path)).size);
    await pipeline(createReadStream(path), response);
  } finally {
    await rm(path, { force: true });
  }
}
