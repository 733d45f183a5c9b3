import type { FetchArgs } from '@reduxjs/toolkit/query';
// Types alone: the schemas of all pages would be loaded with the first one.
import type { AnswerTo, RouteName, Routes, SentTo } from '@tollgate/contracts/routes';

declare const answered: unique symbol;

/** A call that is ready to be sent, and the type of what it will answer. */
export interface ApiCall<Answer = unknown> extends FetchArgs {
  /** The answer has its fields beside `success`, so the whole envelope is wanted. */
  whole?: boolean;
  [answered]?: Answer;
}

/** The answer to a deed: by `undo` it can be taken back, where it can. */
export interface Undoable<Data> {
  data?: Data;
  undo?: string;
}

type Whole<Name extends RouteName> = Routes[Name] extends { beside: unknown } | { undoable: true }
  ? { whole: true }
  : { whole?: undefined };
type Wanted<Name extends RouteName> = SentTo<Name> & Whole<Name>;
/** Nothing has to be said where a route needs nothing. */
type Sent<Name extends RouteName> = Record<never, never> extends Wanted<Name> ? [sent?: Wanted<Name>] : [sent: Wanted<Name>];
type Answer<Name extends RouteName> = Routes[Name] extends { undoable: true }
  ? Undoable<AnswerTo<Name>>
  : AnswerTo<Name> extends undefined
    ? null
    : AnswerTo<Name>;

/** A call of a route of the console: `call('PUT /api/token', { body })`. What is sent and what comes back is as the contract has it. */
export function call<Name extends RouteName>(name: Name, ...[sent]: Sent<Name>): ApiCall<Answer<Name>> {
  const [method = '', path = ''] = name.split(' ');
  const { params = {}, query, body, whole } = (sent ?? {}) as { params?: object; query?: object; body?: unknown; whole?: boolean };
  const parts = params as Record<string, string | number>;
  const url = path.replace('/api/', '').replace(/:(\w+)/g, (_part, key: string) => encodeURIComponent(parts[key] ?? ''));
  return { url, method, ...(query && { params: query }), ...(body !== undefined && { body }), ...(whole && { whole }) };
}

interface Endpoint<Answer, Argument> {
  query(argument: Argument): ApiCall;
  transformResponse(answer: Answer): Answer;
}

/** What an endpoint asks, spread into its definition, so that the types of its argument and its answer follow from the call. */
export function calls<Answer>(ask: () => ApiCall<Answer>): Endpoint<Answer, void>;
export function calls<Answer, Argument>(ask: (argument: Argument) => ApiCall<Answer>): Endpoint<Answer, Argument>;
export function calls<Answer, Argument>(ask: (argument: Argument) => ApiCall<Answer>): Endpoint<Answer, Argument> {
  return { query: ask, transformResponse: (answer) => answer };
}
