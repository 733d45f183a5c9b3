import type { IncomingMessage } from 'node:http';
import type { DialectName, JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { ClientError } from '../context/errors.ts';

/** The dialect whose words are the hub's: what its callers say need not be said otherwise. */
export const hubDialect: DialectName = 'openai';

/** A model as lists of them have it, whatever the dialect makes of it. */
export interface ModelView {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

/** How a kind of callers speaks, as far as it does not depend on what is called. What does is a route (`pipeline/route.ts`). */
export interface CallerDialect {
  /** The word that providers `speak` it by. */
  name: DialectName;
  /** Where most of its calls go, which a caller of a wrong path is told. */
  endpoint: string;
  /** What may be the caller's key, from every place where these clients put one, the likeliest first. `query` is what follows `?` in the address. */
  credentials(request: IncomingMessage, query: string | undefined): string[];
  /** Headers that go on, as they came, to a provider who speaks the same; of all others nothing reaches one. */
  passedHeaders?: readonly string[];
  /** Where clients of this dialect look for a call's id, beside the usual places. */
  requestIdHeader?: string;
  /** The id of an answer, made of the call's. */
  answerId(callId: string): string;
  /** Where an answer and an event of a stream name the model, as the keys that lead there; left out where they do not. */
  answerModel?: { whole: readonly string[]; event: readonly string[] };
  /** The body of an answer that is an error. */
  errorBody(error: ClientError): string;
  /** The last events of a stream that breaks off before its writer has begun. */
  errorEvent(error: ClientError, asked?: { envelope?: JsonObject | undefined; model?: string | undefined }): string;
  /** Streams go out as one JSON array in the place of events. */
  streamsArrays?: true;
  /** What keeps a stream's line alive while nothing comes. */
  heartbeat: string;
  /** Of a list of models, in the order of their names, what the address asks for; and one of them alone. */
  modelList(models: readonly ModelView[], query: URLSearchParams): JsonObject;
  model(model: ModelView): JsonObject;
}

/** The headers in which clients of any dialect send their key. */
const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-litellm-api-key'] as const;
type KeyHeader = (typeof keyHeaders)[number];

/** The keys in the headers of a request, that of the `usual` header first: many clients have a setting for another provider's header. */
export function keysIn({ headers }: IncomingMessage, usual: KeyHeader): string[] {
  const keys = given(keyOf(headers[usual]));
  for (const name of keyHeaders) {
    const value = name === usual ? undefined : keyOf(headers[name]);
    if (value) keys.push(value);
  }
  return keys;
}

function keyOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? bearerOf(value) : undefined;
}

/** The token of an `Authorization` header; the word `Bearer` may be missing, or repeated where a user has pasted it with the key. */
export function bearerOf(authorization: string | undefined): string | undefined {
  let text = authorization?.trim();
  while (text !== undefined && /^bearer(?:\s|$)/i.test(text)) text = text.slice('bearer'.length).trimStart();
  return text;
}

/** Those of the places of a credential that hold one. */
export function given(...places: (string | string[] | null | undefined)[]): string[] {
  return places.filter((place) => typeof place === 'string' && place !== '') as string[];
}

/** Something in a request that other dialects cannot say and that it may do without. */
export interface Omissible {
  param: string;
  /** What it is, such as the type of an item. */
  what: string;
}

/** What of a request can be said in its own dialect only: it goes to channels that speak it, else it is refused by name. */
export class UnsupportedFeatures {
  what: string | undefined;
  param: string | undefined;
  #search: { what: string; param: string } | undefined;
  /** Fields that channels of other dialects serve the request without. */
  readonly leftOut: string[] = [];

  /** The first thing is the one that is named. */
  note(what: string, param: string): void {
    this.what ??= what;
    this.param ??= param;
  }

  /** The same of a search of the web: it can be translated where it is charged by its uses. */
  noteSearch(what: string, param: string): void {
    this.#search ??= { what, param };
  }

  /** The search cannot be translated. */
  insist(): void {
    if (this.#search !== undefined) this.note(this.#search.what, this.#search.param);
  }

  /** What is left out changes no answer, or only how good it is. */
  leaveOut(param: string): void {
    this.leftOut.push(param);
  }

  /** Why a request cannot be served by channels of other dialects. */
  refusal(model: string): AppError {
    this.insist();
    const reason = `${this.param}: ${this.what} cannot be said to any channel of the model ${model}`;
    return new AppError('invalid_request', { reason }, { param: this.param });
  }
}
