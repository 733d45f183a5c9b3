import type { JsonEdits } from '../json-bytes.ts';
import { readDataUrl } from '../openai/data-url.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { ChatTranslation, JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { collectedMessage } from './collected-message.ts';
import { ownEdits } from './own-edits.ts';
import { encodeRequest, modelOf, outputLimit } from './request.ts';
import { decodeResponse, decodeStream, errorIn } from './response.ts';
import { readAnthropicUsage } from './usage.ts';

/** How a cloud that hosts Anthropic's models is spoken to: the model stands in the address, and the body says which version it is of. */
export interface Hosting {
  version: string;
  /** The top-level fields that it takes; undefined where it takes all of Anthropic's own. */
  known?: ReadonlySet<string>;
  takesUrls: boolean;
}

/** Fields that only tune or account, and those that stand in the address there: left out without a word. */
const droppable = new Set(['model', 'stream', 'metadata', 'service_tier', 'inference_geo', 'user_profile_id']);

/** Anthropic's Messages as a cloud takes them. */
export function hostedMessages(hosting: Hosting): Omit<ChatTranslation, 'url'> {
  const { version, known, takesUrls } = hosting;
  const isKnown = (field: string) => known === undefined || known.has(field);
  return {
    speaks: 'anthropic',
    inlineImagesOnly: !takesUrls,
    modelOf,
    outputLimit,
    encodeRequest(request: ChatRequest, target: Target) {
      const { model: _model, ...body } = encodeRequest(request, target, { keepsSchemas: false });
      if (!takesUrls && holdsUrl(body.messages)) throw new RequestRefused('An image must be a base64 data URL for this model', 'messages');
      const told = Object.entries(body).filter(([field]) => isKnown(field) || field === 'output_config');
      return { anthropic_version: version, ...Object.fromEntries(told) };
    },
    ownEdits(own: JsonObject, call: { request: ChatRequest; target: Target }): JsonEdits {
      const unknown = Object.keys(own).filter((field) => !isKnown(field));
      const refused = unknown.find((field) => !droppable.has(field));
      if (refused !== undefined) throw new RequestRefused(`${refused} cannot be said to this model where it is hosted`, refused);
      const messages = takesUrls || !holdsUrl(own.messages) ? undefined : withBytes(own.messages, call.target.files ?? new Map());
      if (holdsUrl(messages)) throw new RequestRefused('An image must be base64 for this model', 'messages');
      const { set, remove = [], changed } = ownEdits(own, call);
      const { model: _model, ...kept } = messages === undefined ? (set ?? {}) : { ...set, messages };
      const betas = call.target.passedHeaders?.['anthropic-beta'];
      return {
        set: { ...kept, anthropic_version: version, ...(betas && { anthropic_beta: betas.split(',').map((beta) => beta.trim()) }) },
        remove: [...remove, 'model', ...unknown],
        changed,
      };
    },
    decodeResponse,
    decodeStream,
    collect: collectedMessage,
    usageIn: (answer) => readAnthropicUsage(answer.usage as JsonObject | null | undefined),
    errorIn,
  };
}

/** The same with what was fetched in the place of addresses, in messages and in the results of tools. */
function withBytes(content: unknown, files: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(content)) return content;
  return (content as JsonObject[]).map((block) => {
    const source = block?.source as JsonObject | null | undefined;
    const inline = source?.type === 'url' ? readDataUrl(files.get(String(source.url)) ?? '') : undefined;
    if (inline !== undefined) return { ...block, source: { type: 'base64', media_type: inline.mediaType, data: inline.data } };
    return Array.isArray(block?.content) ? { ...block, content: withBytes(block.content, files) } : block;
  });
}

/** Whether an image or a document of these messages is an address: in a message, or in a tool's result. */
function holdsUrl(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return (content as (JsonObject | null)[]).some((block) => {
    const source = block?.source as JsonObject | null | undefined;
    return source?.type === 'url' || holdsUrl(block?.content);
  });
}
