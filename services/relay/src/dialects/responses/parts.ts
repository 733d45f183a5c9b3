import { type ContentPart, isObject, type JsonObject, weighableJson } from '@tollgate/providers';
import { textIn, worded, wrong } from '../fields.ts';
import type { Unsaid } from '../unsupported-features.ts';

interface Place {
  param: string;
  unsaid: Unsaid;
}

/** The parts of an item's content in the hub's words; a text is one part. Throws: AppError `invalid_request`. */
export function partsOf(content: unknown, { param, unsaid }: Place): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw wrong(`${param} must be a text or a list of parts`, param);
  return content.map((part: unknown, at) => toPart(part, { param: `${param}[${at}]`, unsaid }));
}

/** Text that is nothing but text is said as one. */
export function textAlone(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' && first.text !== undefined ? first.text : parts;
}

function toPart(part: unknown, { param, unsaid }: Place): ContentPart {
  if (!isObject(part)) throw wrong(`${param} must be an object`, param);
  const { type } = part;
  if (type === 'input_text' || type === 'output_text' || type === 'text') return { type: 'text', text: textIn(part, 'text', param) };
  if (type === 'refusal') return { type: 'text', text: textIn(part, 'refusal', param) };
  if (type === 'input_image') return toImage(part, { param, unsaid });
  if (type === 'input_file') return toFile(part, { param, unsaid });
  if (type === 'input_audio' && isObject(part.input_audio)) {
    const { data, format } = part.input_audio;
    if (typeof data === 'string' && typeof format === 'string') return { type: 'input_audio', input_audio: { data, format } };
    throw wrong(`${param}.input_audio must have data and format`, param);
  }
  unsaid.note(`a part of type ${worded(type)}`, param);
  return { type: 'text', text: weighableJson(part).text }; // to be weighed
}

function toImage({ image_url: url, detail, file_id: id }: JsonObject, { param, unsaid }: Place): ContentPart {
  if (typeof url === 'string' && url !== '') {
    return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } };
  }
  if (typeof id !== 'string') throw wrong(`${param}.image_url is required`, param);
  unsaid.note('an image by its file_id', param);
  return { type: 'text', text: id };
}

function toFile({ file_data: data, filename, file_url: url, file_id: id }: JsonObject, { param, unsaid }: Place): ContentPart {
  if (typeof data === 'string' && data !== '') {
    return { type: 'file', file: { ...(typeof filename === 'string' && { filename }), file_data: data } };
  }
  if (typeof url === 'string' && url !== '') {
    return { type: 'file', file: { filename: typeof filename === 'string' ? filename : 'document.pdf', file_data: url } };
  }
  if (typeof id !== 'string') throw wrong(`${param}.file_data is required`, param);
  unsaid.note('a file by its file_id', param);
  return { type: 'text', text: id };
}
