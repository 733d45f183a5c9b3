import { headersOf } from '../../shared/own-headers.ts';
import type { Operation } from './api.ts';

export interface Outcome {
  /** 0: nobody answered. */
  status: number;
  ms: number;
  text: string;
}

/** More is not shown: an export may have a million rows. */
const mostShown = 200_000;
const waitMs = 60_000;

/** Where a call goes with these parameters; what is empty is left out of the query. */
export function addressOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) if (place === 'query' && values[name]) query.set(name, values[name]);
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Makes a call for real, as the one who is signed in. */
export async function tryCall(
  operation: Operation,
  { address, body, userId }: { address: string; body: string; userId: number | undefined },
): Promise<Outcome> {
  const begin = performance.now();
  const since = () => Math.round(performance.now() - begin);
  try {
    const answer = await fetch(address, {
      method: operation.method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(waitMs),
      headers: {
        ...headersOf(userId),
        ...(operation.body && { 'Content-Type': 'application/json' }),
      },
      ...(operation.body && { body }),
    });
    const type = answer.headers.get('content-type') ?? '';
    const text = await answer.text();
    return { status: answer.status, ms: since(), text: readable(type, text) };
  } catch (error) {
    return { status: 0, ms: since(), text: error instanceof Error ? error.message : '' };
  }
}

function readable(type: string, text: string): string {
  if (text.length > mostShown) return `${text.slice(0, mostShown)}…`;
  return type.includes('json') && text !== '' ? JSON.stringify(JSON.parse(text), null, 2) : text;
}
