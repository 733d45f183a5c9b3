import { isMediaType, trueMediaType } from '../media-type.ts';
import { RequestRefused } from '../upstream-error.ts';

export interface DataUrl {
  /** In lower case. */
  mediaType: string;
  data: string;
}

/** So much of the data is looked at: an even number of groups of four letters. */
const headLetters = 1_024;
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * A base64 data URL in its two parts; undefined for any other URL. The data is a view on the text, not a copy.
 * Throws: RequestRefused as `inlineFile` does.
 */
export function readDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith('data:')) return undefined;
  const comma = url.indexOf(',');
  const head = comma < 0 ? '' : url.slice(5, comma);
  if (!head.endsWith(';base64')) return undefined;
  return inlineFile(head.slice(0, head.indexOf(';')), url.slice(comma + 1));
}

/** A file in a request. Throws: RequestRefused when it has no type, holds nothing or no base64, or when its first bytes are of another kind. */
export function inlineFile(type: string, data: string): DataUrl {
  const stated = type.trim().toLowerCase();
  if (!isMediaType(stated)) throw refused('A file must have a media type');
  if (data === '') throw refused(`A file of type ${stated} is empty`);
  const start = data.slice(0, headLetters);
  if (!base64.test(start)) throw refused(`A file of type ${stated} is not base64`);
  const mediaType = trueMediaType(stated, Buffer.from(start, 'base64'));
  if (mediaType === undefined) throw refused(`A file is not of the type ${stated} that it states`);
  return { mediaType, data };
}

function refused(reason: string): RequestRefused {
  return new RequestRefused(reason, 'messages');
}
