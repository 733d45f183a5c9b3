import type { IncomingMessage } from 'node:http';
import type { DialectName } from '@tollgate/providers';
import type { ToldError } from '../answer/told-error.ts';

/** How a kind of callers speaks, as far as it does not depend on what is called. What does is a route (`call/route.ts`). */
export interface CallerDialect {
  /** The word that providers `speak` it by. */
  name: DialectName;
  /** The key as the caller gave it, wherever he put it; undefined: nowhere. `query` is what follows `?` in the address. */
  credential(request: IncomingMessage, query: string | undefined): string | undefined;
  /** The id of an answer, made of the call's. */
  answerId(callId: string): string;
  /** The body of an answer that is an error. */
  errorBody(error: ToldError): string;
  /** The event that tells that a stream breaks off. Nothing follows it. */
  errorEvent(error: ToldError): string;
  /** What keeps a stream's line alive while nothing comes. */
  heartbeat: string;
}
