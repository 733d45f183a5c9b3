import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ErrorCode, Language } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Request, RequestHandler, Response } from 'express';

type Words = Record<Language, string>;

/** What a handler answers that has something to say to people, too. */
export class Said<Data> {
  readonly data: Data;
  readonly message: string | Words;
  readonly success: boolean;
  /** By it what was done can be taken back. */
  readonly undo: string | undefined;
  constructor(data: Data, message: string | Words, success: boolean, undo?: string) {
    this.data = data;
    this.message = message;
    this.success = success;
    this.undo = undo;
  }
}

/** An answer with words for people. */
export function said<Data>(data: Data, message: string | Words): Said<Data> {
  return new Said(data, message, true);
}

/** The answer to a deed that can be taken back, where it can. */
export function undoable<Data>(data: Data, undo: string | undefined): Said<Data> {
  return new Said(data, '', true, undo);
}

/** A failure that is no error: what was asked for was done, and came to this. */
export function failed<Data>(data: Data, message: string | Words): Said<Data> {
  return new Said(data, message, false);
}

/** An answer as every console answer is wrapped. `message` is for people, empty when there is nothing to say. */
export function envelope(answer: unknown, { language, isBeside }: { language: Language; isBeside: boolean }): object {
  const { data, message, success, undo } = answer instanceof Said ? answer : said(answer, '');
  const words = typeof message === 'string' ? message : message[language];
  return { success, message: words, ...(isBeside ? (data as object) : { data }), ...(undo !== undefined && { undo }) };
}

/** The language of the answer's texts: Chinese for those who ask for it, else English. */
export function languageOf(req: Request): Language {
  return req.acceptsLanguages('en', 'zh') === 'zh' ? 'zh' : 'en';
}

/** Names every answer: yyyymmddHHMMSS in UTC and random characters. */
export const requestId: RequestHandler = (_req, res, next) => {
  const id = `${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}${randomBytes(8).toString('hex')}`;
  res.locals.requestId = id;
  res.setHeader('x-oneapi-request-id', id);
  res.setHeader('x-request-id', id);
  next();
};

/** A refusal that has something to send along, in the `data` of its answer. */
export class Refusal extends AppError {
  readonly data: unknown;
  constructor(code: ErrorCode, details: Record<string, string | number>, data: unknown) {
    super(code, details);
    this.data = data;
  }
}

/** The data of an answer, which is asked for again and again; 304 for whoever has it already. A browser may keep it, and asks each time. */
export function conditionalGet<Data>(data: Data, req: Request, res: Response): Data {
  const tag = `W/"${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)}"`;
  res.setHeader('etag', tag);
  res.setHeader('cache-control', 'private, no-cache');
  if (req.headers['if-none-match']?.includes(tag)) res.status(304).end();
  return data;
}

const pack = promisify(gzip);
/** Below this, packing costs more than it saves. */
const smallest = 1024;

/** Packs the JSON of larger answers for those who can unpack it. */
export const packedJson: RequestHandler = (req, res, next) => {
  const plain = res.json.bind(res);
  res.vary('Accept-Encoding');
  res.json = (body) => {
    const text = JSON.stringify(body);
    if (text.length < smallest || req.acceptsEncodings('gzip', 'identity') !== 'gzip') return plain(body);
    pack(text).then(
      (bytes) => res.set({ 'content-type': 'application/json; charset=utf-8', 'content-encoding': 'gzip' }).send(bytes),
      next,
    );
    return res;
  };
  next();
};
