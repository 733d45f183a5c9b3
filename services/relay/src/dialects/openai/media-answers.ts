import { completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import {
  type ImageRequest,
  type JsonObject,
  type ModerationRequest,
  patchJson,
  type RerankRequest,
  type SpeechRequest,
  type SseFrame,
  type TranscriptionRequest,
  type WholeReading,
} from '@tollgate/providers';
import { upstreamFailure } from '../../context/errors.ts';
import type { AnswerWriter, RelayRoute } from '../../context/route.ts';
import { imageEdits, images, imageVariations } from '../../modes/images.ts';
import { rerank } from '../../modes/rerank.ts';
import { speech } from '../../modes/speech.ts';
import { moderations } from '../../modes/text.ts';
import { transcription, translation } from '../../modes/transcription.ts';
import { imageForm, imageRequest, moderationRequest, rerankRequest, speechRequest, transcriptionForm } from './media-requests.ts';
import { openai } from './openai.ts';

/** An answer as it came, or as it was translated: nobody expects a bill in it. */
export function asItCame({ body, answer }: WholeReading): Buffer {
  return body ?? Buffer.from(JSON.stringify(answer));
}

/** Pictures; those that are paid by tokens tell them. */
export function imagesAnswer(reading: WholeReading, charged: Usage): Buffer {
  if (reading.counted().pieces === 0) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  if (charged.imageOutput === undefined || isStated(reading, charged)) return asItCame(reading);
  return withUsage(reading, {
    ...totals(charged),
    input_tokens_details: { text_tokens: charged.textInput, image_tokens: charged.imageInput },
  });
}

/** Speech that came inside JSON, unpacked. */
export function speechAnswer({ answer }: WholeReading): Buffer {
  if (!Buffer.isBuffer(answer.bytes) || answer.bytes.length === 0) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  return answer.bytes;
}

/** A transcript in the form that was asked for, with the bill where there is a place for it. */
export function transcriptAnswer(reading: WholeReading, charged: Usage, sent: JsonObject): Buffer {
  if (reading.contentType !== undefined) return asItCame(reading);
  if (transcriptType(reading, sent) !== undefined) return Buffer.from(`${String(reading.answer.text)}\n`);
  if (isStated(reading, charged)) return asItCame(reading);
  if (charged.seconds !== undefined) return withUsage(reading, { type: 'duration', seconds: charged.seconds });
  const details = { text_tokens: charged.textInput, audio_tokens: charged.audioInput };
  return withUsage(reading, { type: 'tokens', ...totals(charged), input_token_details: details });
}

/** A translated transcript that is wanted as text is none of the provider's. */
export function transcriptType({ body }: WholeReading, sent: JsonObject): string | undefined {
  return body === undefined && sent.response_format === 'text' ? 'text/plain; charset=utf-8' : undefined;
}

/** A ranking, which always tells how many tokens it was; searches are no tokens. */
export function rerankAnswer(reading: WholeReading, charged: Usage): Buffer {
  if (isStated(reading, charged) && (reading.answer.usage as JsonObject).prompt_tokens !== undefined) return asItCame(reading);
  const tokens = promptTokensOf(charged);
  return withUsage(reading, { prompt_tokens: tokens, total_tokens: tokens, ...(charged.searches && { search_units: charged.searches }) });
}

/** The provider's own words say what is charged. */
function isStated({ usage, answer }: WholeReading, charged: Usage): boolean {
  return usage?.trusted === true && usage.usage === charged && Boolean(answer.usage);
}

function totals(usage: Usage) {
  const [input, output] = [promptTokensOf(usage), completionTokensOf(usage)];
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

function withUsage({ body, answer }: WholeReading, usage: JsonObject): Buffer {
  return body === undefined ? Buffer.from(JSON.stringify({ ...answer, usage })) : patchJson(body, { set: { usage } });
}

/** Pictures that came whole, as the events of their ends. */
export function picturesAsEvents(reading: WholeReading, charged: Usage): string {
  const answer = JSON.parse(imagesAnswer(reading, charged).toString('utf8')) as JsonObject;
  const { data, usage } = answer as { data: JsonObject[]; usage?: unknown };
  return data.map((picture) => eventOf({ ...picture, type: 'image_generation.completed', usage })).join('');
}

/** A transcript that came whole, as the event of its end. */
export function transcriptAsEvents(reading: WholeReading, charged: Usage): string {
  const { text, usage } = JSON.parse(transcriptAnswer(reading, charged, {}).toString('utf8')) as JsonObject;
  return eventOf({ type: 'transcript.text.done', text, usage });
}

function eventOf(event: JsonObject): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Events as they came: they tell their own end, and their own bill. */
export const eventsAsTheyCame: AnswerWriter = {
  frame: (frame: SseFrame) => frame.raw,
  chunks: () => undefined,
  cut: () => '',
  end: () => '',
};

const common = { dialect: openai, writer: () => eventsAsTheyCame };

/** POST /v1/images/generations. */
export const imagesRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: images,
  read: imageRequest,
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/images/edits. */
export const imageEditsRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: imageEdits,
  takesForm: true,
  read: (sent) => imageForm(sent, { needsPrompt: true }),
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/images/variations. */
export const imageVariationsRoute: RelayRoute<ImageRequest> = {
  ...common,
  rules: imageVariations,
  takesForm: true,
  read: (sent) => imageForm(sent, { needsPrompt: false }),
  whole: imagesAnswer,
  asEvents: picturesAsEvents,
};

/** POST /v1/audio/speech. */
export const speechRoute: RelayRoute<SpeechRequest> = { ...common, rules: speech, read: speechRequest, whole: speechAnswer };

/** POST /v1/audio/transcriptions. */
export const transcriptionRoute: RelayRoute<TranscriptionRequest> = {
  ...common,
  rules: transcription,
  takesForm: true,
  read: transcriptionForm,
  whole: transcriptAnswer,
  typeOf: transcriptType,
  asEvents: transcriptAsEvents,
};

/** POST /v1/audio/translations. */
export const translationRoute: RelayRoute<TranscriptionRequest> = { ...transcriptionRoute, rules: translation };

/** POST /v1/moderations. */
export const moderationsRoute: RelayRoute<ModerationRequest> = { ...common, rules: moderations, read: moderationRequest, whole: asItCame };

/** POST /v1/rerank. */
export const rerankRoute: RelayRoute<RerankRequest> = { ...common, rules: rerank, read: rerankRequest, whole: rerankAnswer };
