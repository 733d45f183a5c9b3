import type { RelayMode, Usage } from '@tollgate/contracts';
import type { ChatTranslation, JsonObject, PassThrough, Provider, Translation } from '@tollgate/providers';
import type { OutputWish } from '../money/hold.ts';

/** What every request has that a relay mode can read. */
export interface AnyRequest {
  model: string;
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean | null } | null;
  reasoning_effort?: string | null;
  encoding_format?: string | null;
  [field: string]: unknown;
}

export type AnyDialect<Request> = PassThrough<Request> | ChatTranslation | Translation<Request, unknown>;

/** One relay mode: what its requests must be, what they weigh, and what of a provider serves it. */
export interface RelayRoute<Request extends AnyRequest = AnyRequest> {
  mode: RelayMode;
  /** The body as a request, checked where it is read. Throws: AppError `invalid_request`. */
  check(body: JsonObject): Request;
  /** Visits the texts that sensitive words are looked for in; a mode that is not checked leaves it out. */
  eachText?(request: Request, visit: (text: string) => void): void;
  /** Its requests may ask for what has a price of its own. */
  hasExtras?: boolean;
  /** What the prompt is likely to weigh; the outputs are zero. */
  weigh(request: Request): Usage;
  output(request: Request): OutputWish;
  dialectOf(provider: Provider): AnyDialect<Request> | undefined;
  /** What a streamed piece is called. */
  chunk?: 'chat.completion.chunk' | 'text_completion';
}
