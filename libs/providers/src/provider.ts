import type { TaskKind, TaskNews, TaskSubmission, Usage } from '@tollgate/contracts';
import type { Framing } from './framing.ts';
import type { JsonEdits } from './json-bytes.ts';
import type {
  ImageRequest,
  ImagesResponse,
  ModerationRequest,
  RerankRequest,
  RerankResponse,
  SpeechRequest,
  TranscriptionRequest,
} from './openai/media-types.ts';
import type {
  AnyRequest,
  ChatChunk,
  ChatRequest,
  ChatResponse,
  CompletionRequest,
  EmbeddingsRequest,
  EmbeddingsResponse,
  RealtimeRequest,
} from './openai/types.ts';
import type { OwnWhole } from './own-whole.ts';
import type { SseEvent } from './sse.ts';
import type { FailedAnswer, UpstreamError } from './upstream-error.ts';

/** Where one attempt goes: what the channel says, and the model name that its mapping chose. */
export interface Target {
  /** The channel's own base URL, else the provider's. */
  baseUrl: string;
  key: string;
  /** The upstream model: the requested name after the channel's mapping. */
  model: string;
  /** The mapping named the model explicitly; a provider that derives ids from names (Azure) then takes it as it is. */
  isMapped?: boolean;
  /** The channel's field `other`; what it means is the provider's business. */
  other?: string;
  organization?: string;
  /** All output tokens that the balance carries, where the answer could be longer: nothing may raise them. */
  cap?: number;
  /** The longest answer of the model, in tokens, where the operator or the catalog knows it. */
  maxOutput?: number;
  /** About how many tokens the prompt has. */
  promptTokens?: number;
  /** Where a translation notes the fields of which the model's rules take something away. */
  changes?: Set<string>;
  /** The caller's query string, without its `?`. Only what a provider takes by name goes on: it may hold anything, keys too. */
  query?: string;
  /** Files that the request names by address, as data URLs: they were fetched for a provider that takes bytes only. */
  files?: ReadonlyMap<string, string>;
  /** What the key was exchanged for, where the provider has a `token`. */
  token?: string;
  /** The provider has refused the reasoning of earlier turns: it goes without. */
  withoutReasoning?: boolean;
  /** The provider may keep the response for the caller: the account is meant for it. */
  keepsResponses?: boolean;
  /** What a caller of the same dialect said in the headers that his dialect names. */
  passedHeaders?: Readonly<Record<string, string>>;
}

/** A call whose address and body are made, before it is signed. */
export interface UnsignedCall {
  url: string;
  body: Buffer;
  target: Target;
  /** In ms since 1970. */
  atMs: number;
}

/** What a signature adds to a call, or puts in the place of its address. */
export interface SignedParts {
  url?: string;
  headers?: Record<string, string>;
}

/** A key that is exchanged for a token which is good for a while. */
export interface TokenExchange {
  /** The question, posted. Throws: UpstreamError when the key has not the form for it. */
  ask(target: Target, atMs: number): Promise<{ url: string; headers: Record<string, string>; body: string }>;
  /** Throws: UpstreamError when the answer, of whichever status, is no token. */
  read(answer: FailedAnswer, key: string): { token: string; lifetimeMs: number };
  /** Whether a failed call says that the token is no longer good, so that another one is worth trying. */
  isSpent(error: UpstreamError): boolean;
}

/** What a translated answer is signed with. Handed in, so that the transforms stay pure. */
export interface Stamp {
  /** Used when the provider gives no id; also the seed of ids that we invent inside the answer. */
  id: string;
  createdSeconds: number;
  model: string;
}

/** What an answer says about its usage. A count that cannot be true is no count: the relay then makes its own. */
export type UsageReading =
  /**
   * `isSummed`: a total that the provider states beside the classes leaves no output that none of them names. `served`: the values of priced
   * fields by which the provider says it served the call, which need not be the requested ones.
   */
  { trusted: true; usage: Usage; isSummed?: boolean; served?: ServedBy } | { trusted: false; reason: string };

/** Values of priced fields of requests (`service_tier`, `speed`), by field, in lower case. */
export type ServedBy = Readonly<Record<string, string>>;

export type JsonObject = Record<string, unknown>;

/** How one provider is spoken to. Pure: no I/O, no clock, no logger, so a retry simply calls it again. */
export interface Provider {
  /** Used when the channel names none; '' when it must. */
  baseUrl: string;
  /** Where it is when the channel names no address, and the key or the model says so. Throws: UpstreamError when they do not. */
  baseUrlOf?(target: Target): string;
  /** Proves the key by the bytes and the time of a call. Throws: UpstreamError when the key has not the form for it. */
  sign?(call: UnsignedCall): SignedParts | Promise<SignedParts>;
  token?: TokenExchange;
  /** Of a platform for the models of several makers: how this model is spoken to. */
  byModel?(model: string): Provider;
  headers(target: Target): Record<string, string>;
  /** Its refusal in our words. `key` never appears in them. */
  error(answer: FailedAnswer, key: string): UpstreamError;
  /** Fields of requests with a price of their own that it knows; to others they are not sent. */
  pricedFields?: readonly string[];
  /** Names of functions that it runs itself, and asks for. */
  ownFunctions?: ReadonlySet<string>;
  chat?: ChatDialect;
  /** Conversations for callers who speak OpenAI's Responses, where a channel has it (its setting `responses`). */
  responses?: ChatTranslation;
  completions?: PassThrough<CompletionRequest>;
  /** Completions of requests with a `suffix`, where they have an API of their own. */
  fillIn?: PassThrough<CompletionRequest>;
  embeddings?: Dialect<EmbeddingsRequest, EmbeddingsResponse>;
  images?: Dialect<ImageRequest, ImagesResponse>;
  imageEdits?: Dialect<ImageRequest, ImagesResponse>;
  imageVariations?: Dialect<ImageRequest, ImagesResponse>;
  speech?: Dialect<SpeechRequest, SpokenAnswer>;
  transcription?: Dialect<TranscriptionRequest, { text: string }>;
  translation?: Dialect<TranscriptionRequest, { text: string }>;
  moderations?: Dialect<ModerationRequest, JsonObject>;
  rerank?: Dialect<RerankRequest, RerankResponse>;
  /** Spoken sessions by WebSocket. A request is one event of the caller's, `usageIn` reads one of the provider's. */
  realtime?: PassThrough<RealtimeRequest>;
  /** What takes minutes: drawings, or music. */
  tasks?: TaskDialect;
  /** The models that a key may use; a provider without such a list leaves it out. */
  models?: ModelList;
  balance?: BalanceQuery;
}

/** Speech that came inside JSON: the bytes that the caller gets. */
export interface SpokenAnswer {
  contentType: string;
  bytes: Buffer;
}

/** The dialects that callers speak, too: with the same one on both sides bytes travel through. `openai` is the hub's own. */
export type DialectName = 'openai' | 'anthropic' | 'gemini' | 'responses';

/** One relay mode of one provider. A mode the provider lacks is left out, never stubbed. */
export type Dialect<Request, Response> = PassThrough<Request> | Translation<Request, Response>;
export type ChatDialect = PassThrough<ChatRequest> | ChatTranslation;
export type AnyDialect = Dialect<AnyRequest, unknown>;

interface Spoken<Request> {
  /** How a request goes out: as JSON unless it says otherwise; a form as one, or the bytes of its one file alone. */
  sends?: 'form' | 'file';
  /** Headers of this mode alone, beside the provider's. */
  headers?(target: Target): Record<string, string>;
  /** It takes a request and is asked again and again whether it is done. `place`: where to ask about what this answer is of. */
  polls?: { place(answer: JsonObject, target: Pick<Target, 'baseUrl'>): string | undefined; isRunning(answer: JsonObject): boolean };
  /** The whole URL: most providers append a path to the base URL, some do not. */
  url(request: Request, target: Target): string;
  /** The model's name without endings that are our own shorthand, such as `-high` or `-thinking`; how much to think, where one says it. */
  modelOf?(target: Target): string;
  effortOf?(target: Target): string | undefined;
  /** The output limit that goes out, in tokens, where it is another than the caller's; undefined for his. */
  outputLimit?(request: Request, target: Pick<Target, 'model' | 'maxOutput' | 'promptTokens'>): number | undefined;
  /** The bill in a whole answer or in one event of a stream; undefined when it says nothing. */
  usageIn(answer: JsonObject): UsageReading | undefined;
  /** An error that was sent with status 200, or as an event of a stream. */
  errorIn(answer: JsonObject): UpstreamError | undefined;
  /** How its streams come, when not as server-sent events. */
  framing?: Framing;
  /** It takes images only inside the request: the relay fetches remote ones first (`remoteFiles`), and says them in `Target.files`. */
  inlineImagesOnly?: boolean;
  /** It takes files by their addresses only: none is fetched for it. */
  fileAddressesOnly?: boolean;
  /** Whether it reads this address itself, so that the relay does not fetch it. `isSame`: the caller wrote it in the provider's own format. */
  readsAddress?(url: string, isSame: boolean): boolean;
  /** No tool runs there: what asks for one goes elsewhere. */
  hostsNoTools?: boolean;
  /** What carries the call, when not one HTTP exchange. `websocket`: the body is the one message sent, the answer are those that come. */
  transport?: 'websocket';
}

/** The provider speaks the hub's dialect: of a caller who speaks it, too, bytes travel through, and only what `edits` names is changed. */
export interface PassThrough<Request> extends Spoken<Request> {
  speaks: 'openai';
  /** `option`: usage of streams comes when asked for; `always`: unasked; `none`: never, and the question may be refused. */
  streamUsage: 'option' | 'always' | 'none';
  /** Its streams are of named events, each whole in itself, and no pieces of choices. */
  streamsEvents?: boolean;
  /** Its answers may be plain text: what they say is not looked for in JSON. */
  answersText?: boolean;
  /** Where its answers stand, at the top of a body: with none of these it is no answer. */
  answersAt: readonly AnswerPlace[];
  /** A request of callers of other dialects with what the hub carries for this provider alone said in its own words: behind this nothing goes out but OpenAI's. */
  toNative?(request: Request): Request;
  /** Fields of the hub beyond OpenAI's that it takes, too. */
  knows?: readonly string[];
  /** What this provider wants otherwise at the request's top level, beside the model's name. */
  edits?(request: Request, target: Target): JsonEdits | undefined;
  /** Makes a deviating answer (whole, or one chunk) what OpenAI would send. Left out where bytes can travel untouched. */
  repair?(answer: JsonObject, context: RepairContext): JsonObject;
}

/** Choices of a conversation or a text; vectors and pictures; judgements and rankings; what was heard; sound, which is no JSON. */
export type AnswerPlace = 'choices' | 'data' | 'results' | 'text';

export interface RepairContext {
  stamp: Stamp;
  /** It is a piece of a stream, not a whole answer. */
  isChunk: boolean;
}

/** The provider speaks a dialect of its own: requests and answers are translated, unless the caller speaks it, too. */
export interface Translation<Request, Response> extends Spoken<Request> {
  /** `own`: one that no caller speaks. */
  speaks: Exclude<DialectName, 'openai'> | 'own';
  /** Fields that only tune, or are notes, which it is sent (`left-out.ts`); all others of them are listed for the caller as left out. */
  says?: ReadonlySet<string>;
  /** It is asked to stream whatever the caller wants: a whole answer is put together from its pieces. */
  streamsOnly?: boolean;
  /** What travels as JSON, so that fields may be undefined. Throws: RequestRefused when the request cannot be said in this dialect. */
  encodeRequest(request: Request, target: Target): unknown;
  /**
   * What has to be changed in the body of a caller who speaks this dialect himself; `request` says the same in the hub's words, with
   * what may cost no more than its cap. Left out where no caller speaks it.
   */
  nativeEdits?(own: JsonObject, call: { request: Request; target: Target }): JsonEdits;
  /** The answer without usage, which the relay adds from `usageIn` or its own count. Throws: UpstreamError. */
  decodeResponse(body: JsonObject, stamp: Stamp): Response;
  /** The same of an answer that is no JSON, such as the bytes of a picture; undefined where it is not that either. */
  decodeBytes?(bytes: Buffer, stamp: Stamp): Response | undefined;
  /** Left out where no answer is streamed. `isWhole`: the pieces are told together, so that what is taken back in its midst need not be told. */
  decodeStream?(stamp: Stamp, options?: { isWhole: boolean }): ChunkDecoder;
  /** The same stream as the whole answer that it would have been, for callers who speak this dialect, too: the hub has not a word for all. */
  collect?(): OwnWhole;
}

/** How a provider counts the tokens of a prompt, which costs nothing. */
export interface TokenCounter {
  url(target: Target): string;
  /** The question, made of the body that would be sent for an answer. */
  body(sent: JsonObject, target: Target): JsonObject;
  tokensIn(answer: JsonObject): unknown;
}

export interface ChatTranslation extends Translation<ChatRequest, ChatResponse> {
  /** Left out where it does not count. */
  counts?: TokenCounter;
  decodeStream(stamp: Stamp, options?: { isWhole: boolean }): ChunkDecoder;
}

/**
 * One stream's translator; its state is its closure. Fed with one event it returns the caller's chunks, none when the event
 * carries no news. Throws: UpstreamError on an error event.
 */
export interface ChunkDecoder {
  push(event: SseEvent): ChatChunk[];
  /** `complete`: the answer is whole, though more may come; `ended`: nothing more will. A body that ends `open` has died. */
  readonly state: 'open' | 'complete' | 'ended';
  /** How much of the answer it keeps; left out where it keeps nothing. */
  readonly keptBytes?: number;
  /** How many events had content that no chunk can hold, such as a step of a hosted tool; left out where there are none. */
  readonly unchunked?: number;
  /** How many searches of the web have come so far; left out where none can. */
  readonly searches?: number;
  /** The bill so far; it grows as a stream goes on. */
  readonly usage: UsageReading | undefined;
}

export interface ModelList {
  url(target: Target): string;
  /** Throws: UpstreamError when the answer is none. */
  decode(body: unknown): string[];
}

/** How much money the provider's account has left: all answers of `urls`, in order, make one figure. */
export interface BalanceQuery {
  urls(target: Target, today: string): string[];
  decode(bodies: unknown[]): { amount: number; currency: 'USD' | 'CNY' };
}

/** One kind of tasks of one provider: submitted by a call, asked for later, many at once. Callers speak the provider's own words. */
export interface TaskDialect {
  kind: TaskKind;
  /** Where a submission goes; `path` is the caller's, from `/mj/` or `/suno/` on. */
  submitUrl(path: string, target: Pick<Target, 'baseUrl'>): string;
  /** What the provider says to a submission. Throws: UpstreamError when that cannot be understood. */
  submission(answer: unknown): TaskSubmission;
  /** The question how tasks stand. */
  list(upstreamIds: readonly string[], target: Pick<Target, 'baseUrl'>): { url: string; body: JsonObject };
  /** The answer; what is no task in it is left out. Throws: UpstreamError when it is none. */
  news(answer: unknown): TaskNews[];
}
