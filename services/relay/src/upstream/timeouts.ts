import { factsOf } from '@tollgate/contracts/catalog';
import type { Limits } from '../context/limits.ts';
import type { AskedCall } from '../pipeline/call.ts';

/** Words in the names of models that think long before they answer, whoever makes them; the catalog knows the others. */
const slowWords = /deep-research|reason|think/i;
const slowEfforts = new Set(['high', 'xhigh', 'max']);

function isSlowModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return factsOf(name.split(':', 1)[0] ?? name)?.rules.slow === true;
}

/** How long a provider may be silent in this call: twice as long where the model is known to think for long. */
export function patienceFor(limits: Limits, { upstreamModel, effort = '' }: AskedCall): { firstByteMs: number; silenceMs: number } {
  const isSlow = slowWords.test(upstreamModel) || isSlowModel(upstreamModel) || slowEfforts.has(effort);
  const times = isSlow ? 2 : 1;
  return { firstByteMs: limits.UPSTREAM_FIRST_BYTE_MS * times, silenceMs: limits.UPSTREAM_SILENCE_MS * times };
}
