import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '@tollgate/runtime';
import { decodedBody } from './body.ts';
import type { Spool } from './spool.ts';

/** One file of a form, as a part of what was spooled. */
export interface FormFile {
  field: string;
  name: string;
  type: string;
  from: number;
  to: number;
}

/** A multipart/form-data body. */
export interface Form {
  /** Values by their names; several of one name as a list. */
  fields: Record<string, string | string[]>;
  files: FormFile[];
  spool: Spool;
}

const mostFields = 64;
const mostFiles = 20;
const longestField = 256 * 1024;
const longestName = 200;

interface FormLimits {
  maxBytes: number;
  spool: Spool;
  /** Told of the bytes of fields, which are kept in memory. */
  take(bytes: number): void;
}

/**
 * Reads a form as it comes: fields into memory, files into the spool.
 * Throws: AppError `form_needed`, `invalid_form`, `body_too_large`, `content_encoding_refused`, `broken_encoding`, `service_unavailable`; CallerLeft.
 */
export function readForm(request: IncomingMessage, limits: FormLimits): Promise<Form> {
  const { headers } = request;
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '')) throw new AppError('form_needed');
  if (Number(headers['content-length'] ?? 0) > limits.maxBytes) throw new AppError('body_too_large', { limit: limits.maxBytes });
  return new Reading(request, parserOf(headers as BusboyHeaders), limits).form;
}

function parserOf(headers: BusboyHeaders): BusboyInstance {
  const limits = {
    fieldSize: longestField,
    fields: mostFields,
    files: mostFiles,
    parts: mostFields + mostFiles,
    headerPairs: 32,
    headerSize: 8192,
  };
  try {
    return new Busboy({ headers, limits });
  } catch {
    throw wrongForm('its header names no boundary');
  }
}

class Reading {
  readonly form: Promise<Form>;
  readonly #limits: FormLimits;
  readonly #body: Readable;
  readonly #parser: BusboyInstance;
  readonly #fields: Record<string, string | string[]> = {};
  readonly #files: FormFile[] = [];
  #writing: Promise<void> = Promise.resolve();
  #length = 0;
  #reject!: (error: unknown) => void;
  #isOver = false;

  constructor(request: IncomingMessage, parser: BusboyInstance, limits: FormLimits) {
    this.#body = decodedBody(request, (error) => this.#fail(error));
    this.#parser = parser;
    this.#limits = limits;
    const { promise, resolve, reject } = Promise.withResolvers<Form>();
    this.form = promise;
    this.#reject = reject;
    parser.on('field', (name, value, _nameTruncated, isTruncated) => this.#guarded(() => this.#field(name, value, isTruncated)));
    parser.on('file', (field, stream, name, _encoding, type) => this.#file(stream, { field, name, type }));
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => this.#fail(wrongForm('it has too many parts')));
    parser.on('error', () => this.#fail(wrongForm('it breaks off, or is no form')));
    parser.on('finish', () => {
      this.#writing.then(
        () => {
          if (this.#isOver) return;
          this.#isOver = true;
          resolve({ fields: this.#fields, files: this.#files, spool: limits.spool });
        },
        (error: unknown) => this.#fail(error),
      );
    });
    this.#body.on('data', (piece: Buffer) => this.#piece(piece));
    this.#body.on('end', () => parser.end());
  }

  #piece(piece: Buffer): void {
    this.#length += piece.length;
    const { maxBytes } = this.#limits;
    if (this.#length > maxBytes) this.#fail(new AppError('body_too_large', { limit: maxBytes }));
    if (this.#isOver || this.#parser.write(piece)) return;
    this.#body.pause();
    this.#parser.once('drain', () => this.#body.resume());
  }

  #field(name: string | undefined, value: string, isTruncated: boolean): void {
    if (name === undefined || name === '' || name.length > longestName) throw wrongForm('a field of it has no name');
    if (isTruncated) throw wrongForm(`${name} is longer than ${longestField} bytes`);
    this.#limits.take(value.length);
    const known = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (known === undefined) this.#fields[name] = value;
    else this.#fields[name] = Array.isArray(known) ? [...known, value] : [known, value];
  }

  /** Files are written one after the other: what of the next one has come waits in its stream, which holds the caller up. */
  #file(stream: BusboyFileStream, { field, name, type }: { field: string | undefined; name: string | undefined; type: string }): void {
    stream.on('error', () => this.#fail(wrongForm('it breaks off')));
    if (field === undefined || field === '') {
      this.#fail(wrongForm('a file of it has no name'));
      return;
    }
    const { spool } = this.#limits;
    this.#writing = this.#writing
      .then(async () => {
        const from = spool.length;
        for await (const piece of stream) if (!this.#isOver) await spool.write(piece as Buffer);
        this.#files.push({ field: field.slice(0, longestName), name: name ?? '', type, from, to: spool.length });
      })
      .catch((error: unknown) => this.#fail(error));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body.pause();
    this.#reject(error);
    this.#parser.on('error', () => undefined);
    this.#parser.destroy();
  }
}

function wrongForm(reason: string): AppError {
  return new AppError('invalid_form', { reason });
}
