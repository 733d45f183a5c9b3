import Typography from '@mui/material/Typography';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { chatAddress, chatLinksOf } from '../../shared/chat-links.ts';
import { useEnabledTokens } from '../../shared/enabled-tokens.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { isUnread, Unread } from '../../shared/ui/unread.tsx';
import { ShareQuestion, useSharing } from './share-question.tsx';

/** Leads the browser to the site's first chat client, with one's first enabled token; asks before another site gets it. */
export function ChatLinkPage() {
  const { t } = useTranslation('chat');
  const site = useGetStatusQuery();
  const { data: status } = site;
  const { tokens, read } = useEnabledTokens();
  const token = tokens?.[0];
  const link = status && chatLinksOf(status)[0];
  const address = link && token && chatAddress(link, token.key, status.server_address);
  const [mayShare, agree] = useSharing({ link, address, token });
  useEffect(() => {
    if (address && mayShare) location.assign(address);
  }, [address, mayShare]);
  return (
    <PageFrame title={t('title')}>
      {status && !link && <EmptyState title={t('none')} />}
      {link && token && !address && <EmptyState title={t('wrong')} />}
      {address && token && !mayShare && <ShareQuestion address={address} token={token} onAgree={agree} />}
      <Unread reads={[site, read]} />
      {!(status && !link) && !isUnread(site, read) && !(address && !mayShare) && (
        <Typography role="status" color="textSecondary" sx={{ py: 6, textAlign: 'center' }}>
          {t('leading')}
        </Typography>
      )}
    </PageFrame>
  );
}
