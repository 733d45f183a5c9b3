import type { z } from 'zod';

/**
 * Who may use a route. `anyone`: nobody is asked. `visitor`: whoever has a session is known, others pass too. `session`: a session's
 * cookie is enough, for addresses that a browser opens by itself and can send no header with. `user`, `admin`, `root`: a session or a
 * system access token, the `New-Api-User` header, and at least this rank.
 */
export const accesses = ['anyone', 'visitor', 'session', 'user', 'admin', 'root'] as const;
export type Access = (typeof accesses)[number];

/** Limits by address that several routes share, over all consoles. */
export const limiters = {
  /** What guesses names, codes and passwords, or has mails sent. */
  critical: { points: 20, seconds: 1200 },
} as const satisfies Record<string, { points: number; seconds: number }>;
export type LimiterName = keyof typeof limiters;

export interface Route {
  /** What it does, in a few words, for the document of the API. */
  summary: string;
  access: Access;
  limiter?: LimiterName;
  /** While the option is on, it needs a solved Turnstile in the query (`turnstile`). */
  turnstile?: true;
  /** Pages of any site may ask: what they send is the proof, and no cookie counts. */
  forAnySite?: true;
  /**
   * A route that needs no `New-Api-User` header answers a browser only when a script of ours sent the request, never for an image, a
   * frame, a link or a form. Exempt is what changes nothing, and what carries its proof in the message.
   */
  csrfExempt?: true;
  /** A navigation may open it too, with a one-time `state` from `GET /api/oauth/state` in its query. */
  navigableByState?: true;
  /** Answers under every host name: other machines call it by the address they were given. */
  anyHost?: true;
  /** Also for who has to choose a password before anything else. */
  evenWithFirstPassword?: true;
  /** Of the parts of the path; without it each is a number. */
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** What stands in `data`; without it, and without the two others, nothing. */
  answer?: z.ZodType;
  /** What stands beside `success` instead, where the product family has it there. */
  beside?: z.ZodType;
  /** The content type of an answer without our envelope, which the handler writes itself; several where the caller may choose. */
  raw?: string | readonly string[];
  /** Beside `success` stands `undo`, where what it did can be taken back by `POST /api/undo`. */
  undoable?: true;
  /** Why a write of an administrator leaves no row in the audit log. */
  unaudited?: string;
  /** What must have happened before its example works: then, and without it the example is refused. */
  needs?: string;
  /**
   * A call that works where the users 1 (root) and 2, the token 1, the unused redemption code 1, the unpaid order `USR2NO1`, the
   * channels 1 (on) and 2 (off) and the failed job `failed-one` exist.
   */
  example?: { params?: unknown; query?: unknown; body?: unknown };
}

type ExampleOf<R extends Route> = {
  example?: {
    params?: Record<string, string | number>;
    query?: R['query'] extends z.ZodType ? Partial<z.input<R['query']>> : never;
    body?: R['body'] extends z.ZodType ? z.input<R['body']> : never;
  };
};

/** One route of the console, under its method and path. */
export function route<R extends Route>(given: R & ExampleOf<R>): R {
  return given;
}

type Parts<Path extends string> = Path extends `${string}:${infer Part}/${infer Rest}`
  ? Part | Parts<Rest>
  : Path extends `${string}:${infer Part}`
    ? Part
    : never;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler gets of the path, the query and the body, and what it answers. */
export type ParamsOf<R extends Route, Name> = R['params'] extends z.ZodType ? z.output<R['params']> : Record<Parts<Name & string>, number>;
export type QueryOf<R extends Route> = Output<R['query']>;
export type BodyOf<R extends Route> = Output<R['body']>;
export type AnswerOf<R extends Route> = R['beside'] extends z.ZodType
  ? z.output<R['beside']>
  : R['answer'] extends z.ZodType
    ? z.output<R['answer']>
    : undefined;

type Given<Key extends string, Value> = [Value] extends [never] ? { [K in Key]?: undefined } : { [K in Key]: Value };
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
/** What coerces takes anything; a caller sends what comes out of it. */
type QueryInput<Schema> = Schema extends z.ZodType ? Partial<Record<keyof z.input<Schema>, string | number | boolean>> : never;

/** What a caller sends. */
export type Sent<R extends Route, Name> = Given<'params', [Parts<Name & string>] extends [never] ? never : ParamsOf<R, Name>> &
  Given<'body', Input<R['body']>> & { query?: QueryInput<R['query']> };
