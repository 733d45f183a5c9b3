import { type Counted, ofSenses, picture, texts } from './fields-of-texts.ts';
import type { HandMadeBill, Json } from './hand-made-bill.ts';

function gemini(
  what: string,
  { model = 'senses', ...more }: { model?: string; generationConfig?: Json; part?: Json },
  due: Counted,
): HandMadeBill {
  const { usage: usageMetadata, ...bill } = due;
  const { part, generationConfig = {} } = more;
  const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello you' }] }, finishReason: 'STOP' }];
  return {
    title: `a question to Gemini with ${what}`,
    mode: 'chat',
    path: `/v1beta/models/${model}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello there' }, ...(part ? [part] : [])] }], generationConfig },
    channel: { type: 24 },
    told: { json: { candidates, usageMetadata } },
    ...bill,
  };
}

const modality = (name: string, tokenCount: number) => ({ modality: name, tokenCount });
/** Of 1000 tokens so many are no text. */
const seen = (name: string, tokens: number) => ({
  promptTokenCount: 1000,
  candidatesTokenCount: 20,
  totalTokenCount: 1020,
  promptTokensDetails: [modality('TEXT', 1000 - tokens), modality(name, tokens)],
});
const drawn = (tokens: number) => ({
  promptTokenCount: 10,
  candidatesTokenCount: 2 + tokens,
  totalTokenCount: 12 + tokens,
  candidatesTokensDetails: [modality('TEXT', 2), modality('IMAGE', tokens)],
});
const inlineData = { mimeType: 'image/png', data: picture };
const fileData = { mimeType: 'video/mp4', fileUri: 'https://www.youtube.com/watch?v=x' };

/** As `fieldsOfTexts`, in Gemini's words. */
export const fieldsOfGemini: HandMadeBill[] = [
  gemini(
    'candidateCount',
    { generationConfig: { candidateCount: 2 } },
    {
      usage: { promptTokenCount: 10, candidatesTokenCount: 60, totalTokenCount: 70 },
      lines: texts(ofSenses, [10, 60]),
      sum: '(10 × 2 + 60 × 8) × 0.5 = 250',
      quota: 250,
    },
  ),
  gemini(
    'maxOutputTokens',
    { generationConfig: { maxOutputTokens: 40 } },
    {
      usage: { promptTokenCount: 10, candidatesTokenCount: 40, totalTokenCount: 50 },
      lines: texts(ofSenses, [10, 40]),
      sum: '(10 × 2 + 40 × 8) × 0.5 = 170',
      quota: 170,
    },
  ),
  gemini(
    'thinkingConfig',
    { generationConfig: { thinkingConfig: { thinkingBudget: 100 } } },
    {
      usage: { promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 90, totalTokenCount: 120 },
      lines: [...texts(ofSenses, [10, 20]), ['reasoningOutput', 90, 8]],
      sum: '(10 × 2 + 20 × 8 + 90 × 8) × 0.5 = 450',
      quota: 450,
    },
  ),
  gemini(
    'speechConfig',
    { generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } } },
    {
      usage: {
        promptTokenCount: 10,
        candidatesTokenCount: 100,
        totalTokenCount: 110,
        candidatesTokensDetails: [modality('AUDIO', 100)],
      },
      lines: [
        ['textInput', 10, 2],
        ['audioOutput', 100, 64],
      ],
      sum: '(10 × 2 + 100 × 64) × 0.5 = 3210',
      quota: 3210,
    },
  ),
  ...(
    [
      ['responseModalities', { responseModalities: ['TEXT', 'IMAGE'] }, 1290, '(10 × 0.3 + 2 × 2.5 + 1290 × 30) × 0.5 = 19 354', 19_354],
      ['a wide picture', { imageConfig: { aspectRatio: '16:9' } }, 1344, '(10 × 0.3 + 2 × 2.5 + 1344 × 30) × 0.5 = 20 164', 20_164],
      ['a large picture', { imageConfig: { imageSize: '2K' } }, 1680, '(10 × 0.3 + 2 × 2.5 + 1680 × 30) × 0.5 = 25 204', 25_204],
    ] as const
  ).map(([what, generationConfig, tokens, sum, quota]) =>
    gemini(
      what,
      { model: 'artist', generationConfig },
      {
        usage: drawn(tokens),
        lines: [
          ['textInput', 10, 0.3],
          ['textOutput', 2, 2.5],
          ['imageOutput', tokens, 30],
        ],
        sum,
        quota,
      },
    ),
  ),
  ...(
    [
      [
        'mediaResolution',
        { generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' }, part: { inlineData } },
        66,
        '(934 × 2 + 66 × 2.5 + 20 × 8) × 0.5 = 1096.5',
        1097,
      ],
      ['a picture', { part: { inlineData } }, 258, '(742 × 2 + 258 × 2.5 + 20 × 8) × 0.5 = 1144.5', 1145],
      [
        'a finer picture',
        { part: { inlineData, mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } } },
        800,
        '(200 × 2 + 800 × 2.5 + 20 × 8) × 0.5 = 1280',
        1280,
      ],
    ] as const
  ).map(([what, more, tokens, sum, quota]) =>
    gemini(what, more, {
      usage: seen('IMAGE', tokens),
      lines: texts(ofSenses, [1000 - tokens, 20], [['imageInput', tokens, 2.5]]),
      sum,
      quota,
    }),
  ),
  ...(
    [
      ['a film by its address', { fileData }],
      ['a part of a film', { fileData, videoMetadata: { startOffset: '1s', endOffset: '4s' } }],
      ['a film that is read otherwise', { fileData, mediaProcessing: { x: 1 } }],
    ] as const
  ).map(([what, part]) =>
    // Films have no price of their own: they are weighed in tokens at the price of text.
    gemini(
      what,
      { part },
      { usage: seen('VIDEO', 700), lines: texts(ofSenses, [1000, 20]), sum: '(1000 × 2 + 20 × 8) × 0.5 = 1080', quota: 1080 },
    ),
  ),
];
