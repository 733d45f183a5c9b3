export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** The language of the page, of those we speak. */
export function languageOf(code: string): Language {
  return code.startsWith('zh') ? 'zh' : 'en';
}
