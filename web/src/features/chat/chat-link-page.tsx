import Typography from '@mui/material/Typography';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { chatAddress, chatLinksOf } from '../../shared/chat-links.ts';
import { useEnabledTokens } from '../../shared/enabled-tokens.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { isUnread, Unread } from '../../shared/ui/unread.tsx';

/** Leads the browser to the site's first chat client, with one's first enabled token. */
export function ChatLinkPage() {
  const { t } = useTranslation('chat');
  const site = useGetStatusQuery();
  const { data: status } = site;
  const { tokens, read } = useEnabledTokens();
  const token = tokens?.[0];
  const link = status && chatLinksOf(status)[0];
  const address = link && token && chatAddress(link, token.key, status.server_address);
  useEffect(() => {
    if (address) location.assign(address);
  }, [address]);
  return (
    <PageFrame title={t('title')}>
      {status && !link && <EmptyState title={t('none')} />}
      {link && token && !address && <EmptyState title={t('wrong')} />}
      <Unread reads={[site, read]} />
      {!(status && !link) && !isUnread(site, read) && (
        <Typography role="status" color="textSecondary" sx={{ py: 6, textAlign: 'center' }}>
          {t('leading')}
        </Typography>
      )}
    </PageFrame>
  );
}
