import type { Target } from '../provider.ts';
import { UpstreamError } from '../upstream-error.ts';

/** Where a model is called: the channel's region, or the one that it names for this model. Throws: UpstreamError. */
export function regionOf({ other = '', model }: Target): string {
  const text = other.trim();
  const region = text.startsWith('{') ? regionIn(text, model) : text;
  if (isRegion(region)) return region;
  const message = 'The channel names no region';
  throw new UpstreamError({ kind: 'credentials', status: 401, message, type: 'invalid_request_error', code: 'invalid_region' });
}

/** It becomes a part of a host's name. */
export function isRegion(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(value);
}

function regionIn(text: string, model: string): string | undefined {
  try {
    const regions = new Map(Object.entries(JSON.parse(text) as Record<string, unknown>));
    const region = regions.get(model) ?? regions.get('default');
    return typeof region === 'string' ? region : undefined;
  } catch {
    return undefined;
  }
}
