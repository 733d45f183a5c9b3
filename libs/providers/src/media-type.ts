/** Whether a text is a media type, without parameters. Source: https://www.rfc-editor.org/rfc/rfc6838#section-4.2 */
export function isMediaType(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z]+\/[\w.+-]{1,127}$/i.test(text);
}

/**
 * What a file is that is said to be of a type: what its first bytes say where they say it, for many clients call each picture a PNG;
 * undefined when they are of another kind.
 */
export function trueMediaType(stated: string, head: Buffer): string | undefined {
  const found = mediaTypeOf(head);
  if (found === undefined) return stated;
  if (kindOf(found) !== kindOf(stated)) return undefined;
  return exact.has(found) ? found : stated;
}

/**
 * The media type of a picture, a PDF or a page by its first bytes; undefined for all else.
 * Source: https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern
 */
export function mediaTypeOf(head: Buffer): string | undefined {
  const letters = head.toString('latin1', 0, 1_024);
  for (const [mark, mediaType] of marks) if (letters.startsWith(mark)) return mediaType;
  if (letters.startsWith('RIFF') && letters.startsWith('WEBP', 8)) return 'image/webp';
  if (letters.startsWith('BM') && letters.startsWith('\0\0\0\0', 6)) return 'image/bmp';
  if (letters.startsWith('ftyp', 4)) return pictureBrands.get(letters.slice(8, 12));
  return /^\s*<(?:!doctype html|html)/i.test(letters) ? 'text/html' : undefined;
}

const marks: readonly (readonly [mark: string, mediaType: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['%PDF-', 'application/pdf'],
];
/** The types that are told by their first bytes alone; a container's brand may stand for several. */
const exact = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp']);

/** Of containers that may also hold films, those of pictures. Source: https://mp4ra.org/registered-types/brands */
const pictureBrands = new Map([
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
  ['mif1', 'image/heif'],
  ['msf1', 'image/heif'],
]);

/** `image` for `image/png`; a type of `application` is a kind by itself. */
function kindOf(mediaType: string): string {
  return mediaType.startsWith('application/') ? mediaType : mediaType.slice(0, mediaType.indexOf('/'));
}
