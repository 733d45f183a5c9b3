import type { Language } from '@tollgate/contracts';

/** The language that an `Accept-Language` header asks for first. */
export function languageOf(header: string | undefined): Language {
  return header !== undefined && /^\s*zh\b/i.test(header) ? 'zh' : 'en';
}
