/** Where one goes after signing in: what `?next=` names, if it is a page of this site, else the tokens. */
export function nextAddress(params: URLSearchParams): string {
  const next = params.get('next') ?? '';
  // As the browser reads it: `//host`, `/\host` and `/`, a tab, `/host` lead to other sites.
  const url = URL.parse(next, location.origin);
  const isOurs = next.startsWith('/') && url?.origin === location.origin && !url.pathname.startsWith('//');
  return isOurs && !next.startsWith('/login') ? next : '/token';
}
