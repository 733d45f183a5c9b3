import { type ContentPart, isMediaType, isObject, type JsonObject, type ToolCall, weighableJson } from '@tollgate/providers';
import type { UnsupportedFeatures } from '../dialect.ts';
import { textIn, worded, wrong } from '../fields.ts';

/** What a block of content may be said as; `undefined` stands where it cannot. */
interface Context {
  /** Where the block stands, for words about it. */
  param: string;
  unsupported: UnsupportedFeatures;
}

const pdf = 'application/pdf';

/** The list of blocks that content is; a text is one block. Throws: AppError `invalid_request`. */
export function blocksOf(content: unknown, param: string): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw wrong(`${param} must be a text or a list of blocks`, param);
  for (const [at, block] of content.entries()) {
    if (!isObject(block) || typeof block.type !== 'string') throw wrong(`${param}[${at}].type is required`, `${param}[${at}]`);
  }
  return content as JsonObject[];
}

/** A block that holds something for the model to read, as parts of a message of the hub. */
export function toParts(block: JsonObject, context: Context): ContentPart[] {
  const { cache_control } = block;
  const cached = cache_control ? { cache_control } : {};
  if (block.type === 'text') return [{ type: 'text', text: textIn(block, 'text', context.param), ...cached }];
  if (block.type === 'image') return [{ type: 'image_url', image_url: { url: imageUrl(block, context) }, ...cached }];
  if (block.type === 'document') return toDocument(block, context).map((part) => ({ ...part, ...cached }));
  // What a search of the caller's own has found: others are told all tools from the start.
  if (block.type === 'tool_reference')
    return [{ type: 'text', text: `${textIn(block, 'tool_name', context.param)} may be called now.\n`, ...cached }];
  context.unsupported.note(`a block of type ${worded(block.type)}`, context.param);
  return [{ type: 'text', text: weighableJson(block).text }]; // to be weighed
}

function imageUrl({ source }: JsonObject, { param, unsupported }: Context): string {
  if (!isObject(source)) throw wrong(`${param}.source is required`, param);
  if (source.type === 'url' && typeof source.url === 'string') return source.url;
  if (source.type === 'base64' && typeof source.data === 'string') {
    if (!isMediaType(source.media_type)) throw wrong(`${param}.source.media_type is required`, param);
    return `data:${source.media_type};base64,${source.data}`;
  }
  if (source.type === 'base64' || source.type === 'url') throw wrong(`${param}.source is not whole`, param);
  unsupported.note(`an image of source ${worded(source.type)}`, param);
  return '';
}

function toDocument(block: JsonObject, context: Context): ContentPart[] {
  const { source, title, context: about, citations } = block;
  const { param, unsupported } = context;
  if (!isObject(source)) throw wrong(`${param}.source is required`, param);
  if (isObject(citations) && citations.enabled === true) unsupported.note('citations', `${param}.citations`);
  const heading = [title, about].filter((text) => typeof text === 'string' && text !== '').join('\n');
  const headed: ContentPart[] = heading === '' ? [] : [{ type: 'text', text: heading }];
  if (source.type === 'text') return [...headed, { type: 'text', text: textIn(source, 'data', context.param) }];
  if (source.type === 'content')
    return [...headed, ...blocksOf(source.content, `${param}.source.content`).flatMap((one) => plainPart(one, context))];
  if (source.type === 'base64' && typeof source.data === 'string') {
    const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf';
    const { media_type: mediaType = pdf } = source;
    if (!isMediaType(mediaType)) throw wrong(`${param}.source.media_type must be a media type`, param);
    if (mediaType !== pdf) unsupported.note(`a document of type ${worded(mediaType)}`, param);
    const file = { filename, file_data: `data:${mediaType};base64,${source.data}` };
    return typeof about === 'string' && about !== ''
      ? [
          { type: 'text', text: about },
          { type: 'file', file },
        ]
      : [{ type: 'file', file }];
  }
  if (source.type === 'url' && typeof source.url === 'string') {
    const filename = typeof title === 'string' && title !== '' ? title : 'document.pdf';
    return [
      ...(typeof about === 'string' && about !== '' ? [{ type: 'text', text: about }] : []),
      { type: 'file', file: { filename, file_data: source.url } },
    ];
  }
  unsupported.note(`a document of source ${worded(source.type)}`, param);
  return headed;
}

/** Of a document's own content: texts and images, and no documents again. */
function plainPart(block: JsonObject, context: Context): ContentPart[] {
  if (block.type === 'document') throw wrong(`${context.param} must hold no document in a document`, context.param);
  return toParts(block, context);
}

/** A tool's use as a call of the hub. */
export function toToolCall(block: JsonObject, { param }: Context): ToolCall {
  if (typeof block.id !== 'string' || typeof block.name !== 'string') throw wrong(`${param} must have an id and a name`, param);
  return { id: block.id, type: 'function', function: { name: block.name, arguments: JSON.stringify(block.input ?? {}) } };
}

interface ToolResult {
  id: string;
  text: string;
  isError: boolean;
  /** How it, or the last part of it, is to be cached. */
  cached: unknown;
  shown: ContentPart[];
}

/** What a tool's result says: its text, and the pictures and files in it, which only a user may show in the hub. */
export function toToolResult(block: JsonObject, context: Context): ToolResult {
  const { param } = context;
  if (typeof block.tool_use_id !== 'string') throw wrong(`${param}.tool_use_id is required`, param);
  const content = block.content === undefined || block.content === null ? [] : blocksOf(block.content, `${param}.content`);
  const parts = content.flatMap((one) => toParts(one, context));
  const text = parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  const shown = parts.filter((part) => part.type !== 'text');
  const isError = block.is_error === true;
  const cached = block.cache_control ?? parts.findLast((part) => part.cache_control)?.cache_control ?? undefined;
  return { id: block.tool_use_id, text: isError ? `Error: ${text}` : text, isError, cached, shown };
}
