import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@tollgate/runtime';

interface AskedOf {
  headers: IncomingHttpHeaders;
  /** The host that the caller asked for, as a trusted proxy forwards it. */
  host: string | undefined;
  /** The option `ServerAddress`; '' when it is not set. */
  siteAddress: string;
}

/**
 * Throws when a page of another site sent the request. Own is an `Origin` of the host asked for or of `ServerAddress`, and what the browser
 * itself calls `same-origin`. Only hosts are compared: behind a proxy that ends TLS the scheme differs. Clients that are no browsers send no `Origin`.
 */
export function refuseForeignOrigin({ headers, host, siteAddress }: AskedOf): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined || site === 'same-origin') return;
  const from = URL.parse(origin)?.host;
  if (site !== 'cross-site' && from !== undefined && (from === host || from === URL.parse(siteAddress)?.host)) return;
  throw new AppError('origin_refused', { origin: origin.slice(0, 200), host: (host ?? '').slice(0, 200) });
}

/**
 * Whether a script sent the request. Browsers name the destination over https and on loopback; over plain http a header shows it that no
 * image, frame, link or form can set.
 */
export function isSentByScript(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  if (destination !== undefined) return destination === 'empty' && !isForeign(headers['sec-fetch-site']);
  if (isForeign(headers['sec-fetch-site'])) return false;
  return (
    headers['new-api-user'] !== undefined ||
    headers['x-requested-with'] !== undefined ||
    headers.authorization !== undefined ||
    /^application\/json\b/i.test(headers.accept ?? '') ||
    headers['sec-fetch-mode'] === 'cors'
  );
}

function isForeign(site: string | string[] | undefined): boolean {
  return site === 'cross-site' || site === 'same-site';
}
