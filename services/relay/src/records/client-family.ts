const longest = 40;

/** The family of a user agent: `OpenAI/Python 1.99.0` is `OpenAI/Python`, `curl/8.5` is `curl`, a browser is `browser`. */
export function clientFamily(userAgent: string | undefined): string {
  const [product = ''] = (userAgent ?? '').trim().split(/[\s(;]/, 1);
  if (product.startsWith('Mozilla/')) return 'browser';
  const named = product.split('/').filter((part) => /^[A-Za-z]/.test(part));
  return named
    .slice(0, 2)
    .join('/')
    .replace(/[^\w./@-]/g, '')
    .slice(0, longest);
}
