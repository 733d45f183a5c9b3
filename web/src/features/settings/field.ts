import { useTranslation } from 'react-i18next';
import { languageOf } from '../../shared/language.ts';
import type { Setting } from './api.ts';
import type { Drafts } from './use-drafts.ts';

/** What the field of a setting is handed, whatever kind it is. */
export interface FieldProps {
  setting: Setting;
  drafts: Drafts;
}

/** What a setting is called in the language of the page. */
export function useLabel(): (setting: Setting) => string {
  const { i18n } = useTranslation();
  return ({ label }) => label[languageOf(i18n.language)];
}
