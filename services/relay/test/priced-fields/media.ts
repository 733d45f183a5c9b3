import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import type { TranscriptionCreateParams } from 'openai/resources/audio/transcriptions';
import type { TranslationCreateParams } from 'openai/resources/audio/translations';
import type { ImageCreateVariationParams, ImageEditParams, ImageGenerateParams } from 'openai/resources/images';
import type { RealtimeResponseCreateParams, RealtimeSessionCreateRequest } from 'openai/resources/realtime/realtime';
import { capped, counted, type FieldsOf, free, refused, type Words } from './words.ts';

/** Of pictures that are paid by the piece: what is not a piece like any other is refused. */
export const drawn = {
  prompt: free(),
  background: free(),
  complexity: refused('high', 'complexity'),
  frame_count: refused(4, 'frame_count'),
  frame_duration_ms: free(),
  model: free(),
  moderation: free(),
  n: capped,
  output_compression: free(),
  output_format: refused('gif', 'output_format=gif'),
  partial_images: refused(2, 'partial_images'),
  quality: refused('xhigh', 'quality=xhigh'),
  response_format: free(),
  safety_identifier: free(),
  size: refused('huge', 'size=huge'),
  stream: free(),
  style: free(),
  svg: refused({ model: 'dear' }, 'svg'),
  user: free(),
} satisfies Words<FieldsOf<ImageGenerateParams>>;

export const edited = {
  prompt: free(),
  background: free(),
  model: free(),
  n: capped,
  output_compression: free(),
  response_format: free(),
  safety_identifier: free(),
  stream: free(),
  user: free(),
  frame_duration_ms: free(),
  image: counted,
  mask: counted,
  markup: counted,
  input_fidelity: counted,
  complexity: refused('high', 'complexity'),
  frame_count: refused('4', 'frame_count'),
  output_format: refused('gif', 'output_format=gif'),
  partial_images: refused('2', 'partial_images'),
  quality: refused('max', 'quality=max'),
  size: refused('huge', 'size=huge'),
} satisfies Words<FieldsOf<ImageEditParams>>;

export const varied = {
  image: free(),
  model: free(),
  n: capped,
  response_format: free(),
  user: free(),
  size: refused('huge', 'size=huge'),
} satisfies Words<FieldsOf<ImageCreateVariationParams>>;

/** Paid by the text, or by the sound that comes. */
export const spoken = {
  input: free(),
  model: free(),
  voice: free(),
  instructions: free(),
  response_format: free(),
  speed: free(),
  stream_format: free(),
} satisfies Words<FieldsOf<SpeechCreateParams>>;

/** Paid by what is heard. */
export const transcribed = {
  file: counted,
  model: free(),
  chunking_strategy: free(),
  include: free(),
  keywords: free(),
  known_speaker_names: free(),
  known_speaker_references: counted,
  language: free(),
  languages: free(),
  prompt: free(),
  response_format: free(),
  stream: free(),
  temperature: free(),
  timestamp_granularities: free(),
} satisfies Words<FieldsOf<TranscriptionCreateParams>>;

export const translated = {
  file: counted,
  model: free(),
  prompt: free(),
  response_format: free(),
  temperature: free(),
} satisfies Words<FieldsOf<TranslationCreateParams>>;

/** Of sessions: what is refused there is shown by `realtime.test.ts`. */
export const session = {
  type: free(),
  audio: counted,
  include: free(),
  instructions: free(),
  max_output_tokens: capped,
  output_modalities: counted,
  parallel_tool_calls: free(),
  reasoning: counted,
  tool_choice: free(),
  tracing: free(),
  truncation: free(),
  model: refused('another', 'session.model'),
  prompt: refused({ id: 'pmpt_1' }, 'session.prompt'),
  tools: refused([{ type: 'mcp' }], 'tools=mcp'),
} satisfies Words<FieldsOf<RealtimeSessionCreateRequest>>;

export const answerOfSession = {
  audio: counted,
  conversation: free(),
  input: free(),
  instructions: free(),
  max_output_tokens: capped,
  metadata: free(),
  output_modalities: counted,
  parallel_tool_calls: free(),
  reasoning: counted,
  tool_choice: free(),
  prompt: refused({ id: 'pmpt_1' }, 'response.prompt'),
  tools: refused([{ type: 'mcp' }], 'tools=mcp'),
} satisfies Words<FieldsOf<RealtimeResponseCreateParams>>;
