import type { AnswerOf, BodyOf, Language, ParamsOf, QueryOf, Route } from '@tollgate/contracts';
import type { Request, Response } from 'express';
import type { Caller } from '../auth/caller.ts';
import type { Said } from './answer.ts';

/** A request to a route: who asks, and what he sent, parsed by the contract. */
export interface Call<R extends Route, Name> {
  caller: CallerOf<R['access']>;
  params: ParamsOf<R, Name>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** Of the answer's texts. */
  language: Language;
  /** Where the request comes from, as our proxies say. */
  address: string;
  /** For cookies, redirects and answers that the handler writes itself. No service sees them. */
  req: Request;
  res: Response;
}

type CallerOf<Access extends Route['access']> = Access extends 'anyone'
  ? undefined
  : Access extends 'visitor'
    ? Caller | undefined
    : Caller;

// biome-ignore lint/suspicious/noConfusingVoidType: a function that has nothing to answer returns nothing
type Answered<R extends Route> = AnswerOf<R> extends undefined ? void | Said<undefined> : AnswerOf<R> | Said<AnswerOf<R>>;

/**
 * One function for each route of a table of contracts. What it returns is the answer's `data` (or what stands beside `success`); what
 * it throws is answered as an error.
 */
export type Handlers<Table extends Record<string, Route>> = {
  [Name in keyof Table]: (call: Call<Table[Name], Name>) => Answered<Table[Name]> | Promise<Answered<Table[Name]>>;
};
