import { type OptionSection, type OptionTab, optionSections } from '@tollgate/contracts/options/definition';
import type { Setting } from './api.ts';

export interface Section {
  name: OptionSection;
  settings: Setting[];
}

export function sectionsIn(settings: readonly Setting[], tab: OptionTab | 'personal'): Section[] {
  return grouped(settings.filter((setting) => tabOf(setting) === tab));
}

/** The tab that a setting belongs to; undefined for a section that these pages do not know. */
export function tabOf({ section }: Setting): OptionTab | undefined {
  return optionSections[section as OptionSection]?.tab;
}

/** Those that hold each word of a search in their key, or in what they are called or do, in any language. */
export function sectionsMatching(settings: readonly Setting[], search: string): Section[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return grouped(settings.filter((setting) => words.every((word) => wordsOf(setting).includes(word))));
}

function wordsOf({ key, label, help, section }: Setting): string {
  const { en, zh } = optionSections[section as OptionSection] ?? { en: '', zh: '' };
  return [key, label.en, label.zh, help?.en, help?.zh, en, zh].join(' ').toLowerCase();
}

function grouped(settings: readonly Setting[]): Section[] {
  const found = new Map<string, Setting[]>();
  for (const setting of settings) found.set(setting.section, [...(found.get(setting.section) ?? []), setting]);
  return [...found].map(([name, inIt]) => ({ name: name as OptionSection, settings: inIt }));
}
