import { type JsonEdits, patchJson } from './json-bytes.ts';
import type { ChatTranslation, Dialect, JsonObject, PassThrough, Target, Translation } from './provider.ts';

export interface OutgoingCall<Request> {
  /** The caller's body, and the same parsed. */
  bytes: Buffer;
  request: Request;
  target: Target;
  /** Ask for the usage of a stream even if the caller did not. */
  includeUsage?: boolean;
  /** The most output tokens that may be asked for: what the balance affords. */
  outputLimit?: number;
}

export interface Outgoing {
  url: string;
  /** The model's name as the provider gets it. */
  model: string;
  body: Buffer;
}

/** What the fields that we ourselves change are called; every request of every mode has them or lacks them. */
interface CommonFields {
  model: string;
  stream?: boolean | null;
  stream_options?: JsonObject | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
}

/**
 * What goes to the provider. In the same dialect it is the caller's bytes with the few keys changed that must be; in another
 * it is the translation. Throws: RequestRefused when the provider's dialect cannot say it.
 */
export function outgoing<Request extends { model: string }>(
  dialect: PassThrough<Request> | Translation<Request, unknown> | ChatTranslation | Dialect<Request, unknown>,
  call: OutgoingCall<Request>,
): Outgoing {
  const spoken = dialect as PassThrough<Request> | Translation<Request, unknown>;
  const model = spoken.modelOf?.(call.target) ?? call.target.model;
  const limited = outputLimits(call.request as CommonFields, call.outputLimit);
  const request = limited === undefined ? call.request : { ...call.request, ...limited };
  const url = spoken.url(request, call.target);
  if (spoken.speaks !== 'openai') {
    return { url, model, body: Buffer.from(JSON.stringify(spoken.encodeRequest(request, call.target))) };
  }
  const edits = passThroughEdits(spoken, { request, target: call.target, includeUsage: call.includeUsage === true });
  const set = { ...limited, model: model === request.model ? undefined : model };
  for (const key of edits.remove ?? []) delete set[key as keyof typeof set];
  return { url, model, body: patchJson(call.bytes, { set: { ...set, ...edits.set }, remove: edits.remove }) };
}

function passThroughEdits<Request>(
  dialect: PassThrough<Request>,
  call: { request: Request; target: Target; includeUsage: boolean },
): JsonEdits {
  const own = dialect.edits?.(call.request, call.target);
  const { stream, stream_options } = call.request as CommonFields;
  if (dialect.streamUsage === 'none' && stream_options !== undefined) {
    return { set: own?.set, remove: [...(own?.remove ?? []), 'stream_options'] };
  }
  const mustAsk = call.includeUsage && stream === true && dialect.streamUsage === 'option' && stream_options?.include_usage !== true;
  if (!mustAsk) return own ?? {};
  return { set: { ...own?.set, stream_options: { ...stream_options, include_usage: true } }, remove: own?.remove };
}

/** The output limit in the field that the caller uses, else in the one that every model knows; undefined when none is exceeded. */
function outputLimits(request: CommonFields, limit: number | undefined): Partial<CommonFields> | undefined {
  if (limit === undefined) return undefined;
  const field = typeof request.max_completion_tokens === 'number' ? 'max_completion_tokens' : 'max_tokens';
  const asked = request[field];
  return typeof asked === 'number' && asked <= limit ? undefined : { [field]: limit };
}
