import { mediaTypeOf } from '../media-type.ts';
import type { ImageRequest, ImagesResponse, TranscriptionRequest } from '../openai/media-types.ts';
import type { JsonObject, Target, Translation } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import { RequestRefused, type UpstreamError } from '../upstream-error.ts';

/** Where a model of its is run, and how it says that this failed. */
export interface Place {
  run(target: Target): string;
  errorIn(answer: JsonObject): UpstreamError | undefined;
}

/** Speech to text: the bytes of the file are the request. Source: https://developers.cloudflare.com/workers-ai/models/whisper/ */
export function transcription({ run, errorIn }: Place): Translation<TranscriptionRequest, { text: string }> {
  return {
    speaks: 'own',
    sends: 'file',
    url: (_request, target) => run(target),
    encodeRequest({ response_format: format, stream }) {
      if (format !== undefined && format !== 'json' && format !== 'text') {
        throw new RequestRefused('Transcripts of this model come as json or text only', 'response_format');
      }
      if (stream === true) throw new RequestRefused('Transcripts of this model are not streamed', 'stream');
      return {};
    },
    decodeResponse({ result }) {
      const { text } = (result ?? {}) as JsonObject;
      if (typeof text !== 'string') throw unreadable('no text');
      return { text };
    },
    usageIn: () => undefined,
    errorIn,
  };
}

/**
 * Pictures, one a call: in JSON, or as its bytes alone. Sources: https://developers.cloudflare.com/workers-ai/models/flux-1-schnell/,
 * https://developers.cloudflare.com/workers-ai/models/stable-diffusion-xl-base-1.0/
 */
export function images({ run, errorIn }: Place): Translation<ImageRequest, ImagesResponse> {
  return {
    speaks: 'own',
    url: (_request, target) => run(target),
    encodeRequest({ prompt, n, size, stream, response_format: format }) {
      if ((n ?? 1) !== 1) throw new RequestRefused('This model draws one picture a call', 'n');
      if (format === 'url') throw new RequestRefused('Pictures of this model come as b64_json only', 'response_format');
      if (stream === true) throw new RequestRefused('Pictures of this model are not streamed', 'stream');
      const [width, height] = size && size !== 'auto' ? size.split('x').map(Number) : [];
      return { prompt, width, height };
    },
    decodeBytes(bytes, stamp) {
      if (!mediaTypeOf(bytes)?.startsWith('image/')) return undefined;
      return { created: stamp.createdSeconds, data: [{ b64_json: bytes.toString('base64') }] };
    },
    decodeResponse({ result }, stamp) {
      const { image } = (result ?? {}) as JsonObject;
      if (typeof image !== 'string') throw unreadable('no picture');
      return { created: stamp.createdSeconds, data: [{ b64_json: image }] };
    },
    usageIn: () => undefined,
    errorIn,
  };
}
