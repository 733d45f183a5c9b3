import type { Language } from '@tollgate/contracts';
import type { Request } from 'express';

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
