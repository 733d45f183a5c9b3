import { withoutEndSlashes } from '@tollgate/contracts';

const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/**
 * Base URL, path and query. Cloudflare's AI gateway names the provider in its base URL and wants the rest of
 * the path without the prefix that `gatewayCut` names.
 */
export function joinUrl(baseUrl: string, path: string, options: { query?: string; gatewayCut?: string } = {}): string {
  const { query, gatewayCut = '/v1' } = options;
  const isCut = baseUrl.startsWith(cloudflareGateway) && path.startsWith(`${gatewayCut}/`);
  const base = withoutEndSlashes(baseUrl);
  const url = base + (isCut ? path.slice(gatewayCut.length) : path);
  if (!query) return url;
  return url + (url.includes('?') ? '&' : '?') + query;
}
