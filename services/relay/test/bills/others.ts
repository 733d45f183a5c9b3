import type { HandMadeBill, Json } from './hand-made-bill.ts';

const submit = (mode: 'drawing' | 'music', path: string, body: Json = { prompt: 'a tiny house' }) => ({ mode, path, body });
const taken = { json: { code: 1, description: 'Submit success', result: '1741001500000001', properties: {} } };
const talk = { mode: 'realtime' as const, path: '/v1/realtime?model=senses' };

/** Drawings, music, spoken sessions. */
export const otherBills: HandMadeBill[] = [
  {
    title: 'a drawing',
    ...submit('drawing', '/mj/submit/imagine'),
    channel: { type: 5 },
    told: taken,
    lines: [['call', 1, 0.1]],
    sum: '0.1 × 500 000 = 50 000',
    quota: 50_000,
  },
  {
    title: 'the description of a picture, in a dearer group',
    ...submit('drawing', '/mj/submit/describe', { base64: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' }),
    channel: { type: 2 },
    group: 1.5,
    told: taken,
    lines: [['call', 1, 0.05]],
    sum: '0.05 × 500 000 × 1.5 = 37 500',
    quota: 37_500,
  },
  {
    title: 'a drawing without a price of its own, at the usual one',
    ...submit('drawing', '/mj/submit/shorten'),
    channel: { type: 5 },
    told: taken,
    lines: [['call', 1, 0.1]],
    sum: '0.1 × 500 000 = 50 000',
    quota: 50_000,
  },
  {
    title: 'a song',
    ...submit('music', '/suno/submit/music', { prompt: 'rain' }),
    channel: { type: 36 },
    told: { json: { code: 'success', message: '', data: 'song-1' } },
    lines: [['call', 1, 0.12]],
    sum: '0.12 × 500 000 = 60 000',
    quota: 60_000,
  },
  {
    title: 'an answer in a spoken session',
    ...talk,
    told: {
      spoken: {
        total_tokens: 1500,
        input_tokens: 1000,
        output_tokens: 500,
        input_token_details: { text_tokens: 500, audio_tokens: 400, image_tokens: 100, cached_tokens: 0 },
        output_token_details: { text_tokens: 100, audio_tokens: 400 },
      },
    },
    lines: [
      ['textInput', 500, 2],
      ['audioInput', 400, 32],
      ['imageInput', 100, 2.5],
      ['textOutput', 100, 8],
      ['audioOutput', 400, 64],
    ],
    sum: '(500 × 2 + 400 × 32 + 100 × 2.5 + 100 × 8 + 400 × 64) × 0.5 = 20 225',
    quota: 20_225,
  },
  {
    title: 'a later one, part of whose text, sound and picture was cached',
    ...talk,
    told: {
      spoken: {
        total_tokens: 1500,
        input_tokens: 1000,
        output_tokens: 500,
        input_token_details: {
          text_tokens: 500,
          audio_tokens: 400,
          image_tokens: 100,
          cached_tokens: 350,
          cached_tokens_details: { text_tokens: 200, audio_tokens: 100, image_tokens: 50 },
        },
        output_token_details: { text_tokens: 100, audio_tokens: 400 },
      },
    },
    lines: [
      ...[
        ['textInput', 300, 2],
        ['cachedInput', 200, 0.2],
        ['cachedInput', 50, 0.25],
        ['cachedAudio', 100, 0.4],
        ['audioInput', 300, 32],
        ['imageInput', 50, 2.5],
      ],
      ...[
        ['textOutput', 100, 8],
        ['audioOutput', 400, 64],
      ],
    ] as HandMadeBill['lines'],
    sum: '(300 × 2 + 200 × 0.2 + 50 × 0.25 + 100 × 0.4 + 300 × 32 + 50 × 2.5 + 100 × 8 + 400 × 64) × 0.5 = 18 408.75',
    quota: 18_409,
  },
];
