import type { RelayMode, Usage } from '@tollgate/contracts';
import type {
  AnyDialect,
  AnyRequest,
  ChatMessage,
  DetachedStrings,
  Dialect,
  JsonObject,
  Provider,
  SseFrame,
  StreamReading,
  TextMeasure,
  WholeReading,
} from '@tollgate/providers';
import type { Caller } from '../auth/callers.ts';
import type { Relay } from '../context/relay.ts';
import type { CallerDialect, Omissible, UnsupportedFeatures } from '../dialects/dialect.ts';
import type { AccountResource } from '../dialects/nested-fields.ts';
import type { BoundTo } from '../dialects/responses/history.ts';
import type { OutputWish } from '../quota/hold.ts';
import type { Form } from '../request/form-body.ts';
import type { Call } from './call.ts';
import type { ClientError } from './errors.ts';
import type { Terms, TermsQuestion } from './terms.ts';

/** One relay mode: what its requests weigh, and what of a provider serves it. Requests are in the hub's words, whoever sent them. */
export interface ModeRules<Request extends AnyRequest = AnyRequest> {
  mode: RelayMode;
  /** Visits the texts that sensitive words are looked for in; a mode that is not checked leaves it out. */
  eachText?(request: Request, visit: (text: string) => void): void;
  /** Its requests may ask for what has a price of its own. */
  hasExtras?: boolean;
  /** What the prompt is likely to weigh; the outputs are zero. */
  weigh(request: Request, measure?: TextMeasure): Usage;
  output(request: Request, measure?: TextMeasure): OutputWish;
  /** How the provider is called; `call`, where there is one, decides between several APIs of it (`model` is the upstream name). */
  dialectOf(provider: Provider, call?: { model: string; request: Request }): Dialect<Request, unknown> | undefined;
  /** Of what is not paid by the tokens of texts alone: what it is charged by instead. Throws: AppError where something has no price. */
  terms?(question: TermsQuestion<Request>): Terms;
  /** What its answers are, unless they are JSON or asked for as a stream of events: bytes, which are passed on as they come. */
  answersIn?: 'audio/*';
}

/** A request as it came. */
export interface SentRequest {
  /** What goes to a provider who speaks the caller's dialect, unless something has to be changed in it. */
  bytes: Buffer;
  /** Of a large body: the long texts that stand neither in `bytes` nor in `json`. */
  long: DetachedStrings | undefined;
  /** The same parsed. */
  json: JsonObject;
  /** No key stands twice at the top of `bytes`. */
  isUnique?: boolean;
  /** Of a route that takes forms: the form. */
  form?: Form;
  /** What the address says besides. */
  address: Address;
  /** What of it only channels of its own dialect can be told; undefined in the hub's dialect, which can say all. */
  unsupported?: UnsupportedFeatures;
  /** Messages of it that only channels of its own dialect are sent. */
  omissible?: ReadonlyMap<ChatMessage, Omissible>;
  /** What in it names a resource of the upstream account: only channels that allow it may serve it. */
  account?: AccountResource | undefined;
  /** The one channel that may serve it, whose provider keeps the turns before it, and so many tokens of them. */
  boundTo?: BoundTo;
  /** What of it is changed for all channels (`context/changes.ts`). */
  changes?: string[] | undefined;
  /** Of its tools those that run at a provider, beside the caller's own: it may do without. undefined for none. */
  offers?: readonly JsonObject[];
}

/** What the address of a call says that may as well stand in a body. */
export interface Address {
  model?: string;
  /** The answer is to be streamed. */
  isStream?: boolean;
}

/** One route of the relay: how a caller's dialect speaks there, and the rules of what is called. */
export interface RelayRoute<Request extends AnyRequest = AnyRequest> {
  dialect: CallerDialect;
  rules: ModeRules<Request>;
  /** How a provider is spoken to who has what these callers speak besides what all others are told in. */
  nativeDialect?(provider: Provider): AnyDialect | undefined;
  /** Its bodies are forms; `json` then holds their fields. */
  takesForm?: boolean;
  /** Fills in what a request refers to, before it is read. Throws, or rejects: AppError. */
  prepare?(relay: Relay, call: Call, asked: { sent: SentRequest; caller: Caller }): Promise<void> | undefined;
  /** A body in the hub's words, checked where it is read. Throws: AppError `invalid_request` that names the field. */
  read(sent: SentRequest): Request;
  /** A whole answer in the caller's dialect. `usage` is what will be charged and shown, `sent` the request, parsed, `envelope` that of the call. */
  whole(reading: WholeReading, usage: Usage, sent: JsonObject, envelope?: JsonObject): Buffer;
  /** What a whole answer is, where that is neither JSON nor what the provider says. */
  typeOf?(reading: WholeReading, sent: JsonObject): string | undefined;
  /** A whole answer as the events that were asked for, where they are no pieces of choices. */
  asEvents?(reading: WholeReading, usage: Usage): string;
  /** Writes one streamed answer. */
  writer(reading: StreamReading, options: WriterOptions): AnswerWriter;
}

/** A route that tells what a prompt weighs. */
export interface CountRoute<Request extends AnyRequest = AnyRequest>
  extends Pick<RelayRoute<Request>, 'dialect' | 'rules' | 'prepare' | 'read' | 'nativeDialect'> {
  answer(tokens: number): JsonObject;
}

export interface WriterOptions {
  request: AnyRequest;
  /** The same as the caller sent it, parsed: nothing of it may be kept that is long. */
  sent: JsonObject;
  /** `Call.envelope`. */
  envelope?: JsonObject | undefined;
  /** The provider speaks the caller's dialect: what need not change travels as it came. */
  isSame: boolean;
}

/** One streamed answer in the caller's words, frame by frame. */
export interface AnswerWriter {
  /** What the caller gets for a frame, of which `chunks` is what it says; undefined for nothing. */
  frame(frame: SseFrame, chunks: readonly JsonObject[]): Buffer | string | undefined;
  /** The same for chunks that no frame stands behind. */
  chunks(chunks: readonly JsonObject[]): string | undefined;
  /** Says that the answer was cut here, as if it had reached its longest. */
  cut(): string;
  /** How much of the answer it keeps until its end; left out where it keeps nothing. */
  readonly keptBytes?: number;
  /** Says that the answer breaks off, where that repeats what was written before; otherwise the dialect's `errorEvent` does. */
  failed?(error: ClientError): string | undefined;
  /** The last bytes of a whole answer; `usage` is what will be charged. */
  end(usage: Usage): Buffer | string;
}

export type { AnyDialect, AnyRequest };
