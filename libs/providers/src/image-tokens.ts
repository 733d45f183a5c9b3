import { type ImageWeight, imageWeightTable, namedEntry } from '@tollgate/contracts';
import type { ContentPart } from './openai/types.ts';

interface Size {
  width: number;
  height: number;
}

/** What an image weighs whose size cannot be seen, a remote one say. */
const usualSize: Size = { width: 1024, height: 1024 };
/** Gemini makes larger pictures smaller, to 3 072 by 3 072. Source: https://ai.google.dev/gemini-api/docs/image-understanding */
const mostTiles = 16;
/** A header stands in the first bytes; the size of a JPEG may stand behind a preview picture. */
const headBytes = 48 * 1024;

/** What the image of a part weighs, in input tokens; 0 when it has none. */
export function imageTokens(part: ContentPart, model: string): number {
  if (!part?.image_url) return 0;
  const { url, detail } = typeof part.image_url === 'object' ? part.image_url : { url: part.image_url, detail: undefined };
  const weight = namedEntry(imageWeightTable, model) as ImageWeight;
  if (detail === 'low' && weight.by === 'tiles') return weight.base;
  return Math.ceil(tokensOf((typeof url === 'string' ? inlineSize(url) : undefined) ?? usualSize, weight));
}

function tokensOf({ width, height }: Size, weight: ImageWeight): number {
  if (weight.by === 'tiles') {
    const fit = Math.min(1, 2048 / Math.max(width, height));
    const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)));
    return weight.base + weight.tile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  }
  if (weight.by === 'patches') return Math.min(weight.most, Math.ceil(width / 32) * Math.ceil(height / 32)) * weight.factor;
  if (weight.by === 'pixels') return Math.min(weight.most, (width * height) / weight.per);
  return weight.each * (Math.max(width, height) <= 384 ? 1 : Math.min(mostTiles, Math.ceil(width / 768) * Math.ceil(height / 768)));
}

/** The size that stands in the head of an image in a data URL; undefined for a remote one, and for a form that is not known. */
function inlineSize(url: string): Size | undefined {
  if (!url.startsWith('data:')) return undefined;
  const start = url.indexOf(',', 5) + 1;
  if (start === 0) return undefined;
  const head = Buffer.from(url.slice(start, start + Math.ceil((headBytes * 4) / 3)), 'base64');
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

/** Source: https://www.w3.org/TR/png/#11IHDR */
function pngSize(head: Buffer): Size | undefined {
  if (head.length < 24 || head.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): Size | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'GIF') return undefined;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

/** Source: https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(head: Buffer): Size | undefined {
  if (head.length < 30 || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const form = head.toString('latin1', 12, 16);
  if (form === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (form === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (form !== 'VP8L') return undefined;
  const bits = head.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Walks the segments to the one that begins a frame. Source: ITU-T T.81, annex B */
function jpegSize(head: Buffer): Size | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; ) {
    const marker = head[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}
