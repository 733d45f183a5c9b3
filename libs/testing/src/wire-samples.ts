import { globSync, readFileSync } from 'node:fs';

/** One recorded exchange with a provider: what a caller asks us, what we must send, what comes back, what the caller must get. */
export interface WireSample {
  provider: string;
  case: string;
  /** `invented`: made from a provider's documentation. `observed`: the shape of a public recording, with content of our own; `note` names the recording. */
  origin: 'invented' | 'observed';
  channelTypes: number[];
  /** The channel's field `other`. */
  other?: string;
  /** Why we do not speak this route of the provider's: then its answer must not pass for one of the route that we speak. */
  unspoken?: string;
  client?: string;
  request: { method: string; path: string; headers?: Record<string, string>; bodyFile?: string };
  response: { status: number; contentType: string; bodyFile: string; headers?: Record<string, string> };
  expect?: WireExpectation;
  note?: string;
}

export interface WireExpectation {
  kind: string;
  content?: string | null;
  contentStartsWith?: string;
  reasoning_content?: string;
  finish_reason?: string;
  tool_calls?: { id: string; name: string; arguments: unknown }[];
  usage?: { prompt_tokens: number; completion_tokens?: number; total_tokens: number };
  /** `local-count`: it tells none; `raised`: it tells less than was delivered. */
  usageSource?: 'local-count' | 'raised';
  cached_tokens?: number;
  cache_creation_tokens?: number;
  reasoning_tokens?: number;
  input_tokens?: number;
  output_tokens?: number;
  text?: string;
  count?: number;
  dims?: number;
  ids?: string[];
  order?: number[];
  usd?: number;
  cny?: number;
  status?: number | null;
  messageContains?: string;
  type?: string;
  code?: string | number;
  autoDisable?: boolean;
  retry?: boolean;
  contentSoFar?: string;
}

const folder = new URL('../fixtures/wire-samples/', import.meta.url);

/** Every recorded exchange: one `<provider>/<case>.sample.json` each, beside its bodies. */
export function wireSamples(): WireSample[] {
  return globSync('*/*.sample.json', { cwd: folder }).sort().map(sampleIn);
}

/** One exchange by its name, such as `openai/chat-stream`. */
export function wireSample(name: string): WireSample {
  return sampleIn(`${name}.sample.json`);
}

function sampleIn(file: string): WireSample {
  const [, provider = '', name = ''] = /^([^/]+)\/([^/]+)\.sample\.json$/.exec(file) ?? [];
  return { ...JSON.parse(readFileSync(new URL(file, folder), 'utf8')), provider, case: name };
}

/** A sample's file as bytes; base64 files are decoded, so that binary streams come out as they were sent. */
export function wireBytes(file: string): Buffer {
  const bytes = readFileSync(new URL(file, folder));
  return file.endsWith('.b64') ? Buffer.from(bytes.toString('ascii'), 'base64') : bytes;
}
