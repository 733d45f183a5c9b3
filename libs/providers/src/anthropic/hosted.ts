import { hostedClaude, namedEntry } from '@tollgate/contracts';
import type { JsonEdits } from '../json-bytes.ts';
import { isObject, objectsIn } from '../objects.ts';
import { readDataUrl } from '../openai/data-url.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { ChatTranslation, JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { collectedMessage } from './collected-message.ts';
import { nativeEdits } from './own-edits.ts';
import { encodeRequest, modelOf, outputLimit, says } from './request.ts';
import { decodeResponse, decodeStream, errorIn } from './response.ts';
import { readAnthropicUsage } from './usage.ts';

/** How a cloud that hosts Anthropic's models is spoken to: the model stands in the address, and the body says which version it is of. */
export interface Hosting {
  version: string;
  /** The top-level fields that it takes; undefined where it takes all of Anthropic's own. */
  known?: ReadonlySet<string>;
  /** Anthropic's own tools do not run there. */
  hostsNoTools?: boolean;
}

const droppable = new Set(hostedClaude.dropped);
const droppedOfTools = new Set(hostedClaude.droppedOfTools);
const droppedOfCacheControl = new Set(hostedClaude.droppedOfCacheControl);
/** These stand in the URL there. */
const unnoted = new Set(['model', 'stream']);

/** Anthropic's Messages as a cloud takes them. */
export function hostedMessages(hosting: Hosting): Omit<ChatTranslation, 'url'> {
  const { version, known, hostsNoTools = false } = hosting;
  const isKnown = (field: string) => (known === undefined ? field === 'stream' || !droppable.has(field) : known.has(field));
  return {
    speaks: 'anthropic',
    inlineImagesOnly: true,
    hostsNoTools,
    modelOf,
    outputLimit,
    says: isKnown('metadata') ? says : new Set([...says].filter((field) => field !== 'user' && field !== 'safety_identifier')),
    encodeRequest(request: ChatRequest, target: Target) {
      const { model: _model, ...body } = encodeRequest(request, target, { keepsSchemas: false });
      if (holdsUrl(body.messages)) throw new RequestRefused('An image must be a base64 data URL for this model', 'messages');
      const told = Object.entries(body).filter(([field]) => isKnown(field));
      return { anthropic_version: version, ...Object.fromEntries(told) };
    },
    nativeEdits(own: JsonObject, call: { request: ChatRequest; target: Target }): JsonEdits {
      const unknown = Object.keys(own).filter((field) => !isKnown(field));
      const refused = unknown.find((field) => !droppable.has(field));
      if (refused !== undefined) throw new RequestRefused(`${refused} cannot be said to this model where it is hosted`, refused);
      const messages = holdsUrl(own.messages) ? withBytes(own.messages, call.target.files ?? new Map()) : undefined;
      if (holdsUrl(messages)) throw new RequestRefused('An image must be base64 for this model', 'messages');
      const { set, remove = [], changed } = nativeEdits(own, call);
      const { model: _model, ...kept } = messages === undefined ? (set ?? {}) : { ...set, messages };
      const lost = new Set([...(changed ?? []), ...unknown.filter((field) => !unnoted.has(field))]);
      const taken = takenFields({ ...own, ...kept }, lost);
      return {
        set: { ...kept, ...taken, anthropic_version: version, ...betasIn(call.target, lost) },
        remove: [...remove, 'model', ...unknown],
        changed: [...lost],
      };
    },
    decodeResponse,
    decodeStream,
    collect: collectedMessage,
    usageIn: (answer) => readAnthropicUsage(answer.usage as JsonObject | null | undefined),
    errorIn,
  };
}

/** The values of anthropic-beta that the clouds take. */
function betasIn(target: Target, lost: Set<string>): { anthropic_beta?: string[] } {
  const stated = target.passedHeaders?.['anthropic-beta'];
  if (!stated) return {};
  const known = namedEntry(hostedClaude.betas, modelOf(target)) ?? [];
  const betas = stated.split(',').map((beta) => beta.trim());
  const taken = betas.filter((beta) => known.includes(beta));
  if (taken.length < betas.length) lost.add('anthropic-beta');
  return taken.length > 0 ? { anthropic_beta: taken } : {};
}

/** Tools, instructions and messages without what the clouds refuse in them; nothing for those that hold nothing of it. */
function takenFields({ tools, system, messages }: JsonObject, lost: Set<string>): JsonObject {
  const taken: JsonObject = {};
  if (objectsIn(tools).some((tool) => Object.keys(tool).some((name) => droppedOfTools.has(name)))) {
    taken.tools = objectsIn(tools).map((tool) => Object.fromEntries(Object.entries(tool).filter(([name]) => !droppedOfTools.has(name))));
    lost.add('tools');
  }
  for (const [name, value] of Object.entries({ tools: taken.tools ?? tools, system, messages })) {
    const cached = withTakenCaching(value);
    if (cached === value) continue;
    taken[name] = cached;
    lost.add('cache_control');
  }
  return taken;
}

/** Blocks, and the content of blocks, whose `cache_control` has only what the clouds take; the same list where it has. */
function withTakenCaching(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  let changed: unknown[] | undefined;
  for (const [at, block] of list.entries()) {
    if (!isObject(block)) continue;
    const { cache_control: caching } = block;
    const content = withTakenCaching(block.content);
    const isRefused = isObject(caching) && Object.keys(caching).some((name) => droppedOfCacheControl.has(name));
    if (!isRefused && content === block.content) continue;
    changed ??= [...list];
    const kept = isRefused ? Object.fromEntries(Object.entries(caching).filter(([name]) => !droppedOfCacheControl.has(name))) : caching;
    changed[at] = { ...block, ...(content !== block.content && { content }), ...(isRefused && { cache_control: kept }) };
  }
  return changed ?? list;
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
