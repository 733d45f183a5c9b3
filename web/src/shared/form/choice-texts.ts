import { useTranslation } from 'react-i18next';

interface ChoiceTexts {
  noOptionsText: string;
  clearText: string;
  openText: string;
  closeText: string;
}

/** What an `Autocomplete` says by itself, in the language of the page. */
export function useChoiceTexts(): ChoiceTexts {
  const { t } = useTranslation('shared');
  return { noOptionsText: t('form.noOptions'), clearText: t('clear'), openText: t('open'), closeText: t('close') };
}
