import CampaignOutlined from '@mui/icons-material/CampaignOutlined';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { remember, remembered } from '../shared/preferences.ts';
import { useGetNoticeQuery } from '../shared/site-texts.ts';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { loadTexts } from './i18n.ts';

const NoticeDialog = lazyPart(async () => {
  const [{ NoticeDialog: Dialog }] = await Promise.all([import('./notice-dialog.tsx'), loadTexts('site')]);
  return Dialog;
});

/** The text that was closed last, and the day on which none was wanted any more. */
const keys = { read: 'notice', quiet: 'notice-quiet' };

/** The administrator's notice: shows itself once a text, and can be read again. Nothing where there is none. */
export function NoticeButton() {
  const { t } = useTranslation('app');
  const { data: text = '' } = useGetNoticeQuery();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    setOpen(text.trim() !== '' && remembered(keys.read) !== text && remembered(keys.quiet) !== today());
  }, [text]);
  if (text.trim() === '') return null;
  const close = (key: keyof typeof keys): void => {
    remember(keys[key], key === 'read' ? text : today());
    setOpen(false);
  };
  return (
    <>
      <Tooltip title={t('notice')}>
        <IconButton aria-label={t('notice')} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <CampaignOutlined fontSize="small" />
        </IconButton>
      </Tooltip>
      {open && <NoticeDialog text={text} onClose={() => close('read')} onQuiet={() => close('quiet')} />}
    </>
  );
}

function today(): string {
  return new Date().toDateString();
}
