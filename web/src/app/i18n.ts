import { formatCount } from '@tollgate/contracts/count-text';
import i18next, { type BackendModule, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { type Language, languageOf, languages } from '../shared/language.ts';
import { loadPart, PartMissing } from '../shared/parts.ts';
import { remember, remembered } from '../shared/preferences.ts';

const files = import.meta.glob<{ default: ResourceKey }>(['./i18n/*.json', '../shared/i18n/*.json', '../features/*/i18n/*.json']);

/** A feature's texts are a chunk of their own for each language: a visitor loads those of the page and language they see. */
const textFiles: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read: (language, namespace, done) => {
    const file = files[pathOf(namespace, language)];
    if (!file) return done(new Error(`no texts for ${namespace} in ${language}`), null);
    loadPart(file).then(
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
  document.documentElement.lang = languageOf(language) === 'zh' ? 'zh-CN' : 'en';
}

/** Where the choice of language is remembered. */
const storageKey = 'i18nextLng';

/** The language chosen here before, else the first of the browser's that we speak, else Chinese. */
function firstLanguage(): Language {
  for (const code of [remembered(storageKey) ?? '', ...navigator.languages]) {
    const known = languages.find((language) => code.toLowerCase().startsWith(language));
    if (known) return known;
  }
  return 'zh';
}

/** Loads the texts of the shell; a page brings its own. The choice is remembered, the browser's language is the first guess. */
export async function startI18n(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    markDocument(language);
    remember(storageKey, language);
  });
  await i18next
    .use(textFiles)
    .use(initReactI18next)
    .use({ type: 'formatter', format: groupedCount })
    .init({
      lng: firstLanguage(),
      supportedLngs: languages,
      load: 'languageOnly',
      // Each language has every key, which the type check sees to; a second one need not be loaded.
      fallbackLng: false,
      ns: ['app', 'shared'],
      defaultNS: 'shared',
      partialBundledLanguages: true,
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: true },
    });
  await Promise.all([textsOf('app'), textsOf('shared')]);
  started.resolve();
}

/** Counts in texts have their thousands grouped, as everywhere; other numbers may be ids. */
function groupedCount(value: unknown, _format?: string, _language?: string, about?: object): string {
  const { interpolationkey } = (about ?? {}) as { interpolationkey?: string };
  return typeof value === 'number' && interpolationkey === 'count' ? formatCount(value) : (value as string);
}

/** Pages begin to load before the languages are there. */
const started = Promise.withResolvers<void>();

/** Loads the texts of a feature in the language of the page; what failed before is asked for again. Throws when they do not come. */
export async function loadTexts(namespace: string): Promise<void> {
  await started.promise;
  await textsOf(namespace);
}

async function textsOf(namespace: string): Promise<void> {
  const language = i18next.resolvedLanguage ?? i18next.language;
  await i18next.loadNamespaces(namespace);
  if (i18next.hasResourceBundle(language, namespace)) return;
  await i18next.reloadResources(language, namespace);
  if (!i18next.hasResourceBundle(language, namespace)) throw new PartMissing(false, namespace);
}
