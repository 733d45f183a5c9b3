import { noUsage } from '@tollgate/contracts';
import type { SpeechRequest } from '../openai/media-types.ts';
import { joinUrl } from '../openai/url.ts';
import type { JsonObject, SpokenAnswer, Translation } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import { RequestRefused, type UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';

const formats = new Set(['mp3', 'pcm', 'flac', 'wav']);

/** Speech that comes as hexadecimal digits inside JSON. Source: https://platform.minimax.io/docs/api-reference/speech-t2a-http */
export function speech(errorIn: (answer: JsonObject) => UpstreamError | undefined): Translation<SpeechRequest, SpokenAnswer> {
  return {
    speaks: 'own',
    url: (_request, target) => joinUrl(target.baseUrl, '/v1/t2a_v2'),
    encodeRequest({ input, voice, speed, response_format: asked, stream }, target) {
      const format = asked ?? 'mp3';
      if (!formats.has(format)) throw new RequestRefused(`Speech of this model comes as ${[...formats].join(', ')}`, 'response_format');
      if (stream === true) throw new RequestRefused('Speech of this model is not streamed as events', 'stream_format');
      if (typeof voice !== 'string') throw new RequestRefused('voice is required: a name', 'voice');
      const voiceSetting = { voice_id: voice, speed: speed ?? 1 };
      return { model: target.model, text: input, stream: false, voice_setting: voiceSetting, audio_setting: { format } };
    },
    decodeResponse({ data, extra_info: info }) {
      const { audio } = (data ?? {}) as JsonObject;
      if (typeof audio !== 'string' || audio === '' || !/^[0-9a-f]{2}/i.test(audio)) throw unreadable('no sound');
      const format = (info as JsonObject | undefined)?.audio_format;
      const type = typeof format === 'string' && formats.has(format) ? format : 'mp3';
      return { contentType: type === 'mp3' ? 'audio/mpeg' : `audio/${type}`, bytes: Buffer.from(audio, 'hex') };
    },
    usageIn: ({ extra_info: info }) =>
      usageReading((count) => ({ ...noUsage, characters: count('usage_characters', (info as JsonObject | undefined)?.usage_characters) })),
    errorIn,
  };
}
