import type { Limits } from '../context/limits.ts';
import type { AskedCall } from '../pipeline/call.ts';

/** Models that think long before they say a word, by how their makers call them. */
const slowNames = [/^o\d/i, /^gpt-5.*-pro/i, /deep-research|reason|think/i, /(?:^|[-/])(?:r1|qwq|qvq|magistral)(?:[-:]|$)/i];
const slowEfforts = new Set(['high', 'xhigh', 'max']);

/** How long a provider may be silent in this call: twice as long where the model is known to think for long. */
export function patienceFor(limits: Limits, { upstreamModel, effort = '' }: AskedCall): { firstByteMs: number; silenceMs: number } {
  const isSlow = slowNames.some((name) => name.test(upstreamModel)) || slowEfforts.has(effort);
  const times = isSlow ? 2 : 1;
  return { firstByteMs: limits.UPSTREAM_FIRST_BYTE_MS * times, silenceMs: limits.UPSTREAM_SILENCE_MS * times };
}
