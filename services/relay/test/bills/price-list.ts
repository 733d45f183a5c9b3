import type { OptionKey } from '@tollgate/contracts';

/** In US dollars: of a million tokens, or of each call, picture, second, character, search. */
interface Prices {
  input?: number;
  output?: number;
  cached?: number;
  /** Kept for five minutes; for an hour it is 1.6 times as much. */
  written?: number;
  /** Sound that was kept, where it is not what texts are. */
  keptSound?: number;
  heard?: number;
  spoken?: number;
  seen?: number;
  drawn?: number;
  call?: number;
  character?: number;
  second?: number;
  search?: number;
}

/** What the operator of the table asks. */
export const priceList: Record<string, Prices> = {
  texts: { input: 2.5, cached: 1.25, output: 10 },
  keeper: { input: 3, cached: 0.3, written: 3.75, output: 15 },
  senses: { input: 2, cached: 0.2, keptSound: 0.4, heard: 32, spoken: 64, seen: 2.5, output: 8 },
  artist: { input: 0.3, seen: 0.3, output: 2.5, drawn: 30 },
  'long-texts': { input: 1.25, cached: 0.125, output: 10 },
  'long-artist': { input: 2, output: 12, drawn: 120 },
  'by-call': { call: 0.015 },
  cheap: { input: 0.01, output: 0.01 },
  embedder: { input: 0.13 },
  judge: { input: 4 },
  'dall-e-2': { call: 0.02 },
  'dall-e-3': { call: 0.04 },
  sized: { call: 0.05 },
  painter: { input: 5, seen: 10, output: 10, drawn: 40 },
  'tts-1': { input: 15 },
  singer: { character: 0.00003 },
  speaker: { input: 0.6, heard: 0.6, spoken: 12 },
  'whisper-1': { input: 30 },
  writer: { second: 0.0001 },
  listener: { input: 2.5, heard: 6, output: 10 },
  'ranks-tokens': { input: 0.02 },
  'ranks-searches': { search: 0.002 },
  mj_imagine: { call: 0.1 },
  mj_describe: { call: 0.05 },
  suno_music: { call: 0.12 },
};

/** The same as the settings of an installation say it: ratio 1 is 2 dollars a million. */
export function priceOptions(): Partial<Record<OptionKey, string>> {
  const table = (of: (prices: Prices) => unknown) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(priceList).flatMap(([model, prices]) => (of(prices) === undefined ? [] : [[model, of(prices)]]))),
    );
  const share = (dollars: number | undefined, whole = 0) => (dollars === undefined ? undefined : dollars / whole);
  const pieces = ({ character, second, search }: Prices) =>
    character === undefined && second === undefined && search === undefined
      ? undefined
      : { ...(character && { characters: character }), ...(second && { seconds: second }), ...(search && { searches: search }) };
  return {
    ModelRatio: table(({ input, call }) => (call === undefined ? (input ?? 1) / 2 : undefined)),
    ModelPrice: table(({ call }) => call),
    CompletionRatio: table(({ input, output }) => share(output, input)),
    CacheRatio: table(({ input, cached }) => share(cached, input)),
    AudioCacheRatio: table(({ input, keptSound }) => share(keptSound, input)),
    CreateCacheRatio: table(({ input, written }) => share(written, input)),
    ImageRatio: table(({ input, seen }) => share(seen, input)),
    ImageCompletionRatio: table(({ input, drawn }) => share(drawn, input)),
    AudioRatio: table(({ input, heard }) => share(heard, input)),
    AudioCompletionRatio: table(({ heard, spoken }) => share(spoken, heard)),
    PiecePrice: table(pieces),
    LongContextPrice: JSON.stringify({
      'long-texts': { above: 200_000, input: 2, output: 1.5 },
      'long-artist': { above: 200_000, input: 2, output: 1.5 },
    }),
    RequestFieldRatio: JSON.stringify({
      'service_tier=flex': 0.5,
      'service_tier=priority': 2,
      web_search_options: 1.2,
      'tools=web_search_20250305': 1.1,
    }),
    PictureRatio: JSON.stringify({
      '*': { '256x256': 0.4, '512x512': 0.45, '1024x1024': 1 },
      'dall-e-2': { '256x256': 0.8, '512x512': 0.9, '1024x1024': 1 },
      'dall-e-3': { '1024x1024': 1, '1792x1024': 2, 'hd/1024x1024': 2, 'hd/1792x1024': 3 },
    }),
  };
}
