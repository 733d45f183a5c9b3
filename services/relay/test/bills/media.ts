import type { HandMadeBill, Json } from './hand-made-bill.ts';

const picture = { b64_json: 'AAAA' };
const drawn = (count: number, usage?: Json) => ({
  json: { created: 1, data: Array.from({ length: count }, () => picture), ...(usage && { usage }) },
});
const draw = (model: string, fields: Json = {}) => ({
  mode: 'images' as const,
  path: '/v1/images/generations',
  body: { model, prompt: 'A boat', ...fields },
});
const sent = (path: string, fields: Record<string, string>) => ({
  mode: 'images' as const,
  path,
  form: { fields, files: { image: Buffer.from('picture') } },
});
const speak = (model: string, fields: Json = {}) => ({
  mode: 'speech' as const,
  path: '/v1/audio/speech',
  body: { model, voice: 'alloy', input: 'Hello, 船 😀', ...fields },
});
const sound = { bytes: Buffer.from('sound'), type: 'audio/mpeg' };

/** Twelve seconds of silence, one byte a sample. */
function silence(): Buffer {
  const [rate, seconds] = [8000, 12];
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + seconds * rate, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate],
    [40, seconds * rate],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36, 'latin1');
  return Buffer.concat([head, Buffer.alloc(seconds * rate)]);
}
const hear = (model: string, path = '/v1/audio/transcriptions') => ({ path, form: { fields: { model }, files: { file: silence() } } });

/** Pictures, speech, transcripts. */
export const mediaBills: HandMadeBill[] = [
  {
    title: 'a picture of a size and quality of its own',
    ...draw('dall-e-3', { size: '1792x1024', quality: 'hd' }),
    told: drawn(1),
    lines: [['pictures', 1, 0.12]],
    sum: '0.04 × 3 × 500 000 = 60 000',
    quota: 60_000,
  },
  {
    title: 'three pictures where four were asked for, in a dearer group',
    ...draw('dall-e-2', { n: 4, size: '512x512' }),
    group: 1.5,
    told: drawn(3),
    lines: [['pictures', 3, 0.018]],
    sum: '3 × 0.02 × 0.9 × 500 000 × 1.5 = 40 500',
    quota: 40_500,
  },
  {
    title: 'two pictures of a size that nobody names, by their area',
    ...draw('sized', { n: 2, size: '2048x2048' }),
    told: drawn(2),
    lines: [['pictures', 2, 0.2]],
    sum: '2 × 0.05 × 4 × 500 000 = 200 000',
    quota: 200_000,
  },
  {
    title: 'a picture by tokens',
    ...draw('painter', { quality: 'high', size: '1024x1024' }),
    told: drawn(1, {
      input_tokens: 110,
      output_tokens: 4160,
      total_tokens: 4270,
      input_tokens_details: { text_tokens: 10, image_tokens: 100 },
    }),
    lines: [
      ['textInput', 10, 5],
      ['imageInput', 100, 10],
      ['imageOutput', 4160, 40],
    ],
    sum: '(10 × 5 + 100 × 10 + 4160 × 40) × 0.5 = 83 725',
    quota: 83_725,
  },
  {
    title: 'a picture by tokens whose provider tells none: by our own count',
    ...draw('painter', { quality: 'low', size: '1024x1024', prompt: 'boat' }),
    told: drawn(1),
    lines: [
      ['textInput', 1, 5],
      ['imageOutput', 272, 40],
    ],
    sum: '(1 × 5 + 272 × 40) × 0.5 = 5442.5',
    quota: 5443,
  },
  {
    title: 'a streamed picture and a sketch of it',
    ...draw('painter', { stream: true, partial_images: 1, quality: 'low' }),
    told: {
      events: [
        { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AAAA' },
        {
          type: 'image_generation.completed',
          b64_json: 'BBBB',
          usage: { input_tokens: 10, output_tokens: 372, total_tokens: 382, input_tokens_details: { text_tokens: 10, image_tokens: 0 } },
        },
      ],
    },
    lines: [
      ['textInput', 10, 5],
      ['imageOutput', 372, 40],
    ],
    sum: '(10 × 5 + 372 × 40) × 0.5 = 7465',
    quota: 7465,
  },
  {
    title: 'an edit by tokens, with text among what is put out',
    ...sent('/v1/images/edits', { model: 'painter', prompt: 'x', quality: 'low' }),
    told: drawn(1, {
      input_tokens: 700,
      output_tokens: 300,
      total_tokens: 1000,
      input_tokens_details: { text_tokens: 100, image_tokens: 600 },
      output_tokens_details: { text_tokens: 28, image_tokens: 272 },
    }),
    lines: [
      ['textInput', 100, 5],
      ['imageInput', 600, 10],
      ['textOutput', 28, 10],
      ['imageOutput', 272, 40],
    ],
    sum: '(100 × 5 + 600 × 10 + 28 × 10 + 272 × 40) × 0.5 = 8830',
    quota: 8830,
  },
  {
    title: 'edits by the picture',
    ...sent('/v1/images/edits', { model: 'dall-e-2', prompt: 'x', n: '2', size: '1024x1024' }),
    told: drawn(2),
    lines: [['pictures', 2, 0.02]],
    sum: '2 × 0.02 × 500 000 = 20 000',
    quota: 20_000,
  },
  {
    title: 'a variation',
    ...sent('/v1/images/variations', { model: 'dall-e-2', size: '256x256' }),
    told: drawn(1),
    lines: [['pictures', 1, 0.016]],
    sum: '0.02 × 0.8 × 500 000 = 8000',
    quota: 8000,
  },
  {
    title: 'speech by characters, at the price of input',
    ...speak('tts-1'),
    told: sound,
    lines: [['characters', 10, 0.000_015]],
    sum: '10 × 15 × 0.5 = 75',
    quota: 75,
  },
  {
    title: 'speech by characters, at a price of their own',
    ...speak('singer'),
    told: sound,
    lines: [['characters', 10, 0.000_03]],
    sum: '10 × 0.00003 × 500 000 = 150',
    quota: 150,
  },
  {
    title: 'streamed speech by tokens',
    ...speak('speaker', { stream_format: 'sse' }),
    told: {
      events: [
        { type: 'speech.audio.delta', audio: 'AAAA' },
        { type: 'speech.audio.done', usage: { input_tokens: 4, output_tokens: 100, total_tokens: 104 } },
      ],
    },
    lines: [
      ['textInput', 4, 0.6],
      ['audioOutput', 100, 12],
    ],
    sum: '(4 × 0.6 + 100 × 12) × 0.5 = 601.2',
    quota: 601,
  },
  {
    title: 'a transcript by seconds, at a price of their own',
    mode: 'transcription',
    ...hear('writer'),
    told: { json: { text: 'Hello', usage: { type: 'duration', seconds: 12 } } },
    lines: [['seconds', 12, 0.0001]],
    sum: '12 × 0.0001 × 500 000 = 600',
    quota: 600,
  },
  {
    title: 'a transcript by seconds at the price of input, of which a minute is 1000 tokens',
    mode: 'transcription',
    ...hear('whisper-1'),
    told: { json: { text: 'Hello' } },
    lines: [['seconds', 12, 0.0005]],
    sum: '12 × 0.0005 × 500 000 = 3000',
    quota: 3000,
  },
  {
    title: 'a transcript by tokens',
    mode: 'transcription',
    ...hear('listener'),
    told: {
      json: {
        text: 'Hello',
        usage: {
          type: 'tokens',
          input_tokens: 124,
          output_tokens: 5,
          total_tokens: 129,
          input_token_details: { text_tokens: 4, audio_tokens: 120 },
        },
      },
    },
    lines: [
      ['textInput', 4, 2.5],
      ['audioInput', 120, 6],
      ['textOutput', 5, 10],
    ],
    sum: '(4 × 2.5 + 120 × 6 + 5 × 10) × 0.5 = 390',
    quota: 390,
  },
  {
    title: 'a translation',
    mode: 'translation',
    ...hear('writer', '/v1/audio/translations'),
    told: { json: { text: 'Hello' } },
    lines: [['seconds', 12, 0.0001]],
    sum: '12 × 0.0001 × 500 000 = 600',
    quota: 600,
  },
];
