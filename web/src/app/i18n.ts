import i18next, { type BackendModule, type ResourceKey } from 'i18next';
import LanguageDetector from 'i18next-browser-languagedetector';
import { initReactI18next } from 'react-i18next';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

const files = import.meta.glob<{ default: ResourceKey }>(['./i18n/*.json', '../shared/i18n/*.json', '../features/*/i18n/*.json']);

/** A feature's texts are a chunk of their own for each language: a visitor loads those of the page and language they see. */
const textFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    const file = files[pathOf(namespace, language)];
    if (!file) return done(new Error(`no texts for ${namespace} in ${language}`), null);
    file().then(
      (texts) => done(null, texts.default),
      (error: Error) => done(error, null),
    );
  },
};

function pathOf(namespace: string, language: string): string {
  if (namespace === 'app') return `./i18n/${language}.json`;
  return namespace === 'shared' ? `../shared/i18n/${language}.json` : `../features/${namespace}/i18n/${language}.json`;
}

function markDocument(language: string): void {
  document.documentElement.lang = language.startsWith('zh') ? 'zh-CN' : 'en';
}

/** Loads the texts of the shell; a page brings its own. The choice is remembered, the browser's language is the first guess. */
export async function startI18n(): Promise<void> {
  i18next.on('languageChanged', markDocument);
  await i18next
    .use(textFiles)
    .use(LanguageDetector)
    .use(initReactI18next)
    .init({
      supportedLngs: languages,
      load: 'languageOnly',
      fallbackLng: 'zh',
      ns: ['app', 'shared'],
      defaultNS: 'shared',
      partialBundledLanguages: true,
      interpolation: { escapeValue: false },
      detection: { order: ['localStorage', 'navigator'], caches: ['localStorage'], lookupLocalStorage: 'i18nextLng' },
      react: { useSuspense: true },
    });
}
