/** Where one goes after signing in: what `?next=` names, if it is a page of this site, else the tokens. */
export function nextAddress(params: URLSearchParams): string {
  const next = params.get('next') ?? '';
  // `//host` and `/\host` lead to other sites.
  return /^\/(?![/\\])/.test(next) && !next.startsWith('/login') ? next : '/token';
}
