import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { storedUser } from '../shared/session.ts';

const noteKey = 'account-switched';

/** Stands where the pages of the last person were, until the page has come again for the one who signed in elsewhere. */
export function AccountSwitched() {
  const { t } = useTranslation('app');
  useEffect(() => {
    try {
      sessionStorage.setItem(noteKey, '1');
    } catch {
      // blocked: the reload says nothing
    }
    location.replace('/token');
  }, []);
  return (
    <Box role="status" sx={{ minHeight: '100dvh', display: 'grid', placeItems: 'center', p: 3, textAlign: 'center' }}>
      <Typography>{t('account.switching', { name: storedUser()?.username ?? '' })}</Typography>
    </Box>
  );
}

/** Whose account this page was loaded for, when it was loaded because somebody else signed in; once. */
export function takeSwitchNote(): string | undefined {
  try {
    if (!sessionStorage.getItem(noteKey)) return undefined;
    sessionStorage.removeItem(noteKey);
    return storedUser()?.username;
  } catch {
    return undefined;
  }
}
