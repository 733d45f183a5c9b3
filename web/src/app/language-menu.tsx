import TranslateRounded from '@mui/icons-material/TranslateRounded';
import IconButton from '@mui/material/IconButton';
import MenuItem from '@mui/material/MenuItem';
import Tooltip from '@mui/material/Tooltip';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Language, languageOf, languages } from '../shared/language.ts';
import { DropMenu } from '../shared/ui/drop-menu.tsx';

/** Languages call themselves by their own names. */
const names: Record<Language, string> = { en: 'English', zh: '中文' };

export function LanguageMenu() {
  const { t, i18n } = useTranslation('app');
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const current = languageOf(i18n.language);
  return (
    <>
      <Tooltip title={t('language')}>
        <IconButton
          aria-label={t('language')}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <TranslateRounded fontSize="small" />
        </IconButton>
      </Tooltip>
      {anchor && (
        <DropMenu anchor={anchor} onClose={() => setAnchor(null)}>
          {languages.map((language) => (
            <MenuItem
              key={language}
              lang={language}
              role="menuitemradio"
              aria-checked={language === current}
              selected={language === current}
              onClick={() => {
                setAnchor(null);
                i18n.changeLanguage(language);
              }}
            >
              {names[language]}
            </MenuItem>
          ))}
        </DropMenu>
      )}
    </>
  );
}
