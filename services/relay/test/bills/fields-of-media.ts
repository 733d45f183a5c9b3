import type { HandMadeBill, Json } from './hand-made-bill.ts';

const drawing = { created: 1, data: [{ b64_json: 'AAAA' }] };

/** An edit that is paid by tokens. */
function edit(
  what: string,
  { fields = {}, files = {} }: { fields?: Record<string, string>; files?: Record<string, Buffer> },
  due: Due,
): HandMadeBill {
  const { seen, ...bill } = due;
  return {
    title: `an edit with ${what}`,
    mode: 'images',
    path: '/v1/images/edits',
    form: { fields: { model: 'painter', prompt: 'x', quality: 'low', ...fields }, files: { image: Buffer.from('picture'), ...files } },
    told: {
      json: {
        ...drawing,
        usage: {
          input_tokens: 10 + seen,
          output_tokens: 272,
          total_tokens: 282 + seen,
          input_tokens_details: { text_tokens: 10, image_tokens: seen },
        },
      },
    },
    lines: [
      ['textInput', 10, 5],
      ['imageInput', seen, 10],
      ['imageOutput', 272, 40],
    ],
    ...bill,
  };
}
type Due = Pick<HandMadeBill, 'sum' | 'quota'> & { seen: number };

/** An answer in a spoken session; `body` is what the session, or the answer, is asked to be. */
function spoken(what: string, body: Json, { heard = 0, said, thought = 0, ...bill }: Spoken): HandMadeBill {
  const [text, sound] = said;
  return {
    title: `a spoken session with ${what}`,
    mode: 'realtime',
    path: '/v1/realtime?model=senses',
    body,
    told: {
      spoken: {
        input_tokens: 100 + heard,
        output_tokens: text + sound,
        total_tokens: 100 + heard + text + sound,
        input_token_details: { text_tokens: 100, audio_tokens: heard, cached_tokens: 0 },
        output_token_details: { text_tokens: text, audio_tokens: sound, ...(thought > 0 && { reasoning_tokens: thought }) },
      },
    },
    ...bill,
  };
}
type Spoken = Pick<HandMadeBill, 'lines' | 'sum' | 'quota'> & { heard?: number; said: [text: number, sound: number]; thought?: number };

const textAlone: Spoken = {
  said: [20, 0],
  lines: [
    ['textInput', 100, 2],
    ['textOutput', 20, 8],
  ],
  sum: '(100 × 2 + 20 × 8) × 0.5 = 180',
  quota: 180,
};
const textAndSound: Spoken = {
  said: [20, 50],
  lines: [
    ['textInput', 100, 2],
    ['textOutput', 20, 8],
    ['audioOutput', 50, 64],
  ],
  sum: '(100 × 2 + 20 × 8 + 50 × 64) × 0.5 = 1780',
  quota: 1780,
};
/** Of a session, and of one answer in it. */
const ofSessions = (fields: Json): Json[] => [{ session: { type: 'realtime', ...fields } }, { response: fields }];
const places = ['all of it', 'one answer'];

/** As `fieldsOfTexts`. */
export const fieldsOfMedia: HandMadeBill[] = [
  edit('a mask', { files: { mask: Buffer.from('mask') } }, { seen: 650, sum: '(10 × 5 + 650 × 10 + 272 × 40) × 0.5 = 8715', quota: 8715 }),
  edit(
    'a markup',
    { files: { markup: Buffer.from('marks') } },
    { seen: 700, sum: '(10 × 5 + 700 × 10 + 272 × 40) × 0.5 = 8965', quota: 8965 },
  ),
  edit(
    'input_fidelity',
    { fields: { input_fidelity: 'high' } },
    { seen: 4800, sum: '(10 × 5 + 4800 × 10 + 272 × 40) × 0.5 = 29 465', quota: 29_465 },
  ),
  {
    title: 'two variations',
    mode: 'images',
    path: '/v1/images/variations',
    form: { fields: { model: 'dall-e-2', n: '2', size: '256x256' }, files: { image: Buffer.from('picture') } },
    told: { json: { created: 1, data: [...drawing.data, ...drawing.data] } },
    lines: [['pictures', 2, 0.016]],
    sum: '2 × 0.02 × 0.8 × 500 000 = 16 000',
    quota: 16_000,
  },
  {
    title: 'a transcript with known_speaker_references',
    mode: 'transcription',
    path: '/v1/audio/transcriptions',
    form: {
      fields: { model: 'listener', 'known_speaker_names[]': 'Ada', 'known_speaker_references[]': 'data:audio/wav;base64,UklGRg==' },
      files: { file: Buffer.from('sound') },
    },
    told: {
      json: {
        text: 'Hello',
        usage: {
          type: 'tokens',
          input_tokens: 200,
          output_tokens: 5,
          total_tokens: 205,
          input_token_details: { text_tokens: 0, audio_tokens: 200 },
        },
      },
    },
    lines: [
      ['audioInput', 200, 6],
      ['textOutput', 5, 10],
    ],
    sum: '(200 × 6 + 5 × 10) × 0.5 = 625',
    quota: 625,
  },
  ...ofSessions({ max_output_tokens: 20, output_modalities: ['text'] }).map((body, at) =>
    spoken(`max_output_tokens and output_modalities for ${places[at]}`, body, textAlone),
  ),
  ...ofSessions({ audio: { output: { voice: 'marin' } } }).map((body, at) => spoken(`audio for ${places[at]}`, body, textAndSound)),
  ...ofSessions({ reasoning: { effort: 'high' } }).map((body, at) =>
    spoken(`reasoning for ${places[at]}`, body, {
      said: [120, 0],
      thought: 100,
      lines: [
        ['textInput', 100, 2],
        ['textOutput', 20, 8],
        ['reasoningOutput', 100, 8],
      ],
      sum: '(100 × 2 + 20 × 8 + 100 × 8) × 0.5 = 580',
      quota: 580,
    }),
  ),
];
