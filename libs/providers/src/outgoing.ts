import type { ToldTools } from './callers-calls.ts';
import { type JsonEdits, patchJson } from './json-bytes.ts';
import { leftOutOf, marksCaching } from './left-out.ts';
import { type DetachedStrings, withTexts } from './long-texts.ts';
import { plainRequest } from './openai/plain-request.ts';
import { withInlineFiles } from './openai/remote-files.ts';
import type { AnyRequest, ChatRequest } from './openai/types.ts';
import type { Dialect, DialectName, JsonObject, PassThrough, Target } from './provider.ts';
import { withoutReasoning } from './reasoning-refused.ts';
import { translatedRequest } from './translated-request.ts';

export interface OutgoingCall<Request> {
  /** What the caller speaks, and his body; parsed, too, where that is not the hub's dialect. */
  speaks: DialectName;
  bytes: Buffer;
  json?: JsonObject;
  /** No key stands twice at the top of his body. */
  isUnique?: boolean;
  /** What was left out of both. */
  long?: DetachedStrings;
  /** What he asks for, in the hub's words. */
  request: Request;
  target: Target;
  /** Ask for the usage of a stream even if the caller did not. */
  includeUsage?: boolean;
  /** The most output tokens that may be asked for, of one choice: what is held pays for no more. */
  outputLimit?: number;
  /** Top-level fields that this provider is not to be sent. */
  without?: readonly string[];
}

export interface Outgoing {
  url: string;
  /** The model's name as the provider gets it. */
  model: string;
  /** Without what was left out of the request. */
  body: Buffer;
  /** Fields of the request of which the model's rules took something away; undefined for none. */
  changed?: readonly string[];
  /** Fields of the canonical request that this provider has no form for and is not sent; undefined for none. */
  leftOut?: readonly string[];
  /** How the caller has its tools; undefined where the provider gets them as they are. */
  tools?: ToldTools;
}

/**
 * What goes to the provider. In the same dialect it is the caller's bytes with the few keys changed that must be; in another
 * it is the translation. Throws: RequestRefused when the provider's dialect cannot say it.
 */
export function outgoing<Request extends AnyRequest>(dialect: Dialect<Request, unknown>, call: OutgoingCall<Request>): Outgoing {
  const model = dialect.modelOf?.(call.target) ?? call.target.model;
  const { files } = call.target;
  const isTranslated = dialect.speaks !== call.speaks;
  const translated = isTranslated
    ? translatedRequest(call.request, { model: call.target.model, keepsFreeText: dialect.speaks === 'responses' })
    : undefined;
  const readable = withReasoningOf(translated?.request ?? call.request, call.target);
  const inline = files === undefined ? readable : withInlineFiles(readable, files);
  // Before a provider's own edits, which may set messages anew.
  const told =
    isTranslated && dialect.speaks === 'openai'
      ? plainRequest(dialect.toNative?.(inline) ?? inline, call.target.model, dialect.knows)
      : inline;
  const asked = withoutFields(told, call.without);
  const limited = cap(dialect, asked.request, call);
  const request = limited === undefined ? asked.request : { ...asked.request, ...limited };
  const changes = dialect.speaks === 'openai' ? undefined : new Set<string>();
  const target =
    limited === undefined && changes === undefined ? call.target : { ...call.target, changes, ...(limited && { cap: call.outputLimit }) };
  const url = dialect.url(request, target);
  const tools = translated?.tools && { tools: translated.tools };
  if (dialect.speaks !== 'openai') {
    if (!isTranslated && dialect.nativeEdits !== undefined) {
      const edits = dialect.nativeEdits(call.json ?? {}, { request, target });
      const body = patchJson(call.bytes, { set: edits.set, remove: [...(edits.remove ?? []), ...(asked.removed ?? [])] });
      return { url, model, body, ...changedIn(edits.changed) };
    }
    const encoded = dialect.encodeRequest(call.long === undefined ? request : withTexts(request, call.long), target);
    const changed = changedIn([...(translated?.changed ?? []), ...(changes ?? [])]);
    const left = leftIn(request, dialect.says, dialect.speaks === 'anthropic');
    return { url, model, body: Buffer.from(JSON.stringify(encoded)), ...changed, ...left, ...tools };
  }
  const bytes = isTranslated ? Buffer.from(JSON.stringify(asked.request)) : call.bytes;
  const edits = passThroughEdits(dialect, { request, target, includeUsage: call.includeUsage === true });
  const inlined = files === undefined ? undefined : { messages: request.messages };
  const set = { ...limited, ...inlined, model: model === request.model ? undefined : model };
  const remove = asked.removed === undefined ? edits.remove : [...(edits.remove ?? []), ...asked.removed];
  for (const key of remove ?? []) delete set[key as keyof typeof set];
  const body = patchJson(bytes, { set: { ...set, ...edits.set }, remove, isUnique: call.isUnique && bytes === call.bytes });
  const changed = [...(translated?.changed ?? []), ...(edits.changed ?? [])];
  const left =
    isTranslated && dialect.knows?.includes('cache_control') !== true && marksCaching(inline as unknown as ChatRequest)
      ? { leftOut: ['cache_control'] }
      : {};
  return { url, model, body, ...changedIn(changed), ...left, ...tools };
}

/** Without the reasoning of earlier turns where the provider has refused it. */
function withReasoningOf<Request extends AnyRequest>(request: Request, { withoutReasoning: isLeftOut }: Target): Request {
  return isLeftOut && Array.isArray(request.messages)
    ? (withoutReasoning(request as unknown as ChatRequest) as unknown as Request)
    : request;
}

/** What a provider that is sent a translation does without. */
function leftIn(request: AnyRequest, says: ReadonlySet<string> | undefined, knowsCaching: boolean): Pick<Outgoing, 'leftOut'> {
  const left = leftOutOf(request, says);
  const isCached = !knowsCaching && marksCaching(request as ChatRequest);
  if (left.length === 0 && !isCached) return {};
  return { leftOut: isCached ? [...left, 'cache_control'] : left };
}

function changedIn(changed: readonly string[] | undefined): Pick<Outgoing, 'changed'> {
  return changed === undefined || changed.length === 0 ? {} : { changed: [...new Set(changed)] };
}

function passThroughEdits<Request extends AnyRequest>(
  dialect: PassThrough<Request>,
  call: { request: Request; target: Target; includeUsage: boolean },
): JsonEdits {
  const own = dialect.edits?.(call.request, call.target);
  const { stream, stream_options } = call.request;
  if (dialect.streamUsage === 'none' && stream_options !== undefined) {
    return { ...own, remove: [...(own?.remove ?? []), 'stream_options'] };
  }
  const mustAsk = call.includeUsage && stream === true && dialect.streamUsage === 'option' && stream_options?.include_usage !== true;
  if (!mustAsk) return own ?? {};
  return { ...own, set: { ...own?.set, stream_options: { ...stream_options, include_usage: true } } };
}

/** The request without what this provider is not to be sent. */
function withoutFields<Request extends AnyRequest>(
  sent: Request,
  fields: readonly string[] | undefined,
): { request: Request; removed?: string[] } {
  const removed = fields?.filter((field) => Object.hasOwn(sent, field));
  if (removed === undefined || removed.length === 0) return { request: sent };
  const request: AnyRequest = { ...sent };
  for (const field of removed) delete request[field];
  return { request: request as Request, removed };
}

/** The cap in the fields that the caller uses, else in the one that every model knows; undefined when nothing exceeds it. */
function cap<Request extends AnyRequest>(
  dialect: Dialect<Request, unknown>,
  request: Request,
  { target, outputLimit: limit }: OutgoingCall<Request>,
): Partial<Pick<AnyRequest, 'max_tokens' | 'max_completion_tokens'>> | undefined {
  if (limit === undefined) return undefined;
  const { max_tokens: old, max_completion_tokens: current } = request;
  const capped = {
    ...(typeof old === 'number' && { max_tokens: Math.min(old, limit) }),
    ...(typeof current === 'number' && { max_completion_tokens: Math.min(current, limit) }),
  };
  const isAsked = Object.keys(capped).length > 0;
  const longest = dialect.outputLimit?.(request, target) ?? (isAsked ? Math.max(old ?? 0, current ?? 0) : Number.POSITIVE_INFINITY);
  if (longest <= limit) return undefined;
  return isAsked ? capped : { max_tokens: limit };
}
