import { rulesOf } from '../model-rules.ts';
import type { ImageRequest, ImagesResponse } from '../openai/media-types.ts';
import type { JsonObject, Stamp, Target, Translation } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import { RequestRefused, UpstreamError } from '../upstream-error.ts';
import { modelUrl } from './model-url.ts';
import { errorIn } from './response.ts';

/** Pictures by Imagen, which come inside the answer. Source: https://ai.google.dev/gemini-api/docs/imagen */
export const imagen: Translation<ImageRequest, ImagesResponse> = {
  speaks: 'own',
  url: (_request, target) => modelUrl(target, 'predict'),
  encodeRequest,
  decodeResponse,
  usageIn: () => undefined,
  errorIn,
};

const shapes = new Map([
  ['1024x1024', '1:1'],
  ['1024x1792', '9:16'],
  ['1792x1024', '16:9'],
  ['896x1280', '3:4'],
  ['1280x896', '4:3'],
]);

function encodeRequest(request: ImageRequest, target: Target): JsonObject {
  if (rulesOf(target.model).method !== 'predict') throw new RequestRefused('Only models of the Imagen family draw pictures here', 'model');
  const { prompt, n, size, response_format: format } = request;
  if (format === 'url') throw new RequestRefused('Pictures of this model come as b64_json only', 'response_format');
  if (request.stream === true) throw new RequestRefused('Pictures of this model are not streamed', 'stream');
  const aspectRatio = !size || size === 'auto' ? '1:1' : shapes.get(size);
  if (aspectRatio === undefined) throw new RequestRefused(`This model draws in ${[...shapes.keys()].join(', ')}`, 'size');
  return { instances: [{ prompt }], parameters: { sampleCount: n ?? 1, aspectRatio, personGeneration: 'allow_adult' } };
}

function decodeResponse(body: JsonObject, stamp: Stamp): ImagesResponse {
  if (body.predictions !== undefined && !Array.isArray(body.predictions)) throw unreadable('no list of predictions');
  const predictions = (body.predictions ?? []) as JsonObject[];
  const data = predictions.flatMap((one) => (typeof one?.bytesBase64Encoded === 'string' ? [{ b64_json: one.bytesBase64Encoded }] : []));
  if (data.length > 0) return { created: stamp.createdSeconds, data };
  const reason = predictions.find((one) => typeof one?.raiFilteredReason === 'string')?.raiFilteredReason;
  throw new UpstreamError({
    kind: 'content_filter',
    status: 400,
    message: typeof reason === 'string' ? reason : 'No picture was drawn: the provider filtered all of them',
    code: 'content_filter',
  });
}
