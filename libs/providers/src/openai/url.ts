const cloudflareGateway = 'https://gateway.ai.cloudflare.com';

/**
 * Base URL, path and the caller's own query. Cloudflare's AI gateway names the provider in its base URL and wants the rest of
 * the path without the prefix that `gatewayCut` names.
 */
export function joinUrl(baseUrl: string, path: string, options: { query?: string; gatewayCut?: string } = {}): string {
  const { query, gatewayCut = '/v1' } = options;
  const isCut = baseUrl.startsWith(cloudflareGateway) && path.startsWith(`${gatewayCut}/`);
  const base = baseUrl.endsWith('/') ? baseUrl.replace(/\/+$/, '') : baseUrl;
  const url = base + (isCut ? path.slice(gatewayCut.length) : path);
  if (!query) return url;
  return url + (url.includes('?') ? '&' : '?') + query;
}
