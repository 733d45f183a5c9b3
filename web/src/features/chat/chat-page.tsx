import ChatOutlined from '@mui/icons-material/ChatOutlined';
import OpenInNewRounded from '@mui/icons-material/OpenInNewRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { role } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { type ChatLink, canBeFramed, chatAddress, chatLinksOf } from '../../shared/chat-links.ts';
import { FramedPage } from '../../shared/content/framed-page.tsx';
import { useOwnDocument } from '../../shared/content/own-document.ts';
import { useEnabledTokens } from '../../shared/enabled-tokens.ts';
import { useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { isUnread, Unread } from '../../shared/ui/unread.tsx';
import { hostOf, ShareQuestion, useSharing } from './share-question.tsx';

/** A chat client in a frame; who has not signed in has no token to give it. */
export function ChatPage() {
  const { t } = useTranslation('chat');
  const user = useSessionUser();
  const site = useGetStatusQuery();
  const { data: status } = site;
  if (user && status) return <Clients links={chatLinksOf(status)} serverAddress={status.server_address} />;
  if (user)
    return (
      <PageFrame title={t('title')}>
        <Unread reads={[site]} />
      </PageFrame>
    );
  return (
    <PageFrame title={t('title')}>
      <EmptyState
        icon={<ChatOutlined />}
        title={t('signInFirst')}
        action={
          <Button component={Link} to={`/login?next=${encodeURIComponent(location.pathname)}`} variant="contained">
            {t('signIn')}
          </Button>
        }
      />
    </PageFrame>
  );
}

/** Where root sets the links. */
function SetUp() {
  const { t } = useTranslation('chat');
  return (
    <Button component={Link} to="/setting?tab=operation" variant="contained">
      {t('setUp')}
    </Button>
  );
}

function Clients({ links, serverAddress }: { links: ChatLink[]; serverAddress: string }) {
  const { t } = useTranslation('chat');
  const user = useSessionUser();
  const navigate = useNavigate();
  const place = Number(useParams().id ?? 0);
  const { tokens, read } = useEnabledTokens();
  const [tokenId, setTokenId] = useState(0);
  const link = links[place];
  const token = tokens?.find(({ id }) => id === tokenId) ?? tokens?.[0];
  const address = link && token && chatAddress(link, token.key, serverAddress);
  const [mayShare, agree] = useSharing({ link, address, token });
  if (links.length === 0 || !link)
    return (
      <PageFrame title={t('title')}>
        {user && user.role >= role.root ? (
          <EmptyState icon={<ChatOutlined />} title={t(links.length === 0 ? 'noneYet' : 'wrongLink')} action={<SetUp />} />
        ) : (
          <EmptyState icon={<ChatOutlined />} title={t(links.length === 0 ? 'none' : 'wrong')} />
        )}
      </PageFrame>
    );
  return (
    <PageFrame
      title={t('title')}
      action={
        <>
          <TextField
            select
            label={t('client')}
            value={place}
            onChange={(event) => void navigate(`/chat/${event.target.value}`)}
            sx={{ width: { xs: 150, sm: 200 } }}
          >
            {links.map(({ name }, each) => (
              <MenuItem key={name} value={each}>
                {name}
              </MenuItem>
            ))}
          </TextField>
          {token && (
            <TextField
              select
              label={t('token')}
              value={token.id}
              onChange={(event) => setTokenId(Number(event.target.value))}
              sx={{ width: { xs: 140, sm: 180 } }}
            >
              {tokens?.map(({ id, name }) => (
                <MenuItem key={id} value={id}>
                  {name || `#${id}`}
                </MenuItem>
              ))}
            </TextField>
          )}
        </>
      }
    >
      <Unread reads={[read]} />
      {!token && !isUnread(read) && <Waiting text={t(tokens ? 'noToken' : 'leading')} />}
      {token && !address && <EmptyState title={t('wrong')} />}
      {address && token && canBeFramed(address) && !mayShare && <ShareQuestion address={address} token={token} onAgree={agree} />}
      {address && token && (mayShare || !canBeFramed(address)) && (
        <>
          <Typography variant="body2" color="textSecondary" sx={{ pb: 1, overflowWrap: 'anywhere' }}>
            {t(canBeFramed(address) ? 'handed' : 'willHand', { name: token.name || `#${token.id}`, host: hostOf(address) })}
          </Typography>
          {canBeFramed(address) ? (
            <Client address={address} name={link.name} />
          ) : (
            <EmptyState
              title={t('opensElsewhere', { name: link.name })}
              action={
                <Button
                  component="a"
                  href={address}
                  target="_blank"
                  rel="noopener noreferrer"
                  variant="contained"
                  startIcon={<OpenInNewRounded />}
                >
                  {t('open')}
                </Button>
              }
            />
          )}
        </>
      )}
    </PageFrame>
  );
}

function Client({ address, name }: { address: string; name: string }) {
  const { t } = useTranslation('chat');
  if (!useOwnDocument(true)) return <Waiting text={t('leading')} />;
  return (
    <Box sx={{ flex: 1, display: 'flex', minHeight: 480, border: 1, borderColor: 'divider', borderRadius: 2, overflow: 'hidden' }}>
      <FramedPage key={address} url={address} title={name} allow="camera; microphone; clipboard-write" />
    </Box>
  );
}

function Waiting({ text }: { text: string }) {
  return (
    <Typography role="status" color="textSecondary" sx={{ py: 6, textAlign: 'center' }}>
      {text}
    </Typography>
  );
}
