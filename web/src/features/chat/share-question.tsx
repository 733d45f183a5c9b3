import ChatOutlined from '@mui/icons-material/ChatOutlined';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import type { ChatLink } from '../../shared/chat-links.ts';
import { useRemembered } from '../../shared/preferences.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';

interface Sharing {
  link: ChatLink | undefined;
  address: string | undefined;
  token: { id: number; name: string } | undefined;
}

/** The site that an address leads to, or the app. */
export function hostOf(address: string): string {
  const { host, protocol } = new URL(address);
  return host || protocol;
}

/** Whether a token may be given to the site of a link: it holds no key, is this one, or its reader has agreed in this browser. */
export function useSharing({ link, address, token }: Sharing): [mayShare: boolean, agree: () => void] {
  const host = address === undefined ? '' : hostOf(address);
  const [agreed, remember] = useRemembered(`chat-shared-${token?.id ?? 0}-${host}`);
  const isHarmless = link?.template.includes('{key}') !== true || host === location.host;
  return [isHarmless || agreed === 'yes', () => remember('yes')];
}

/** Names the site before it gets a key, and asks. */
export function ShareQuestion({ address, token, onAgree }: { address: string; token: { id: number; name: string }; onAgree: () => void }) {
  const { t } = useTranslation('chat');
  const host = hostOf(address);
  return (
    <EmptyState
      icon={<ChatOutlined />}
      title={t('shareTitle', { host })}
      text={t('shareText', { name: token.name || `#${token.id}`, host })}
      action={
        <Button variant="contained" onClick={onAgree}>
          {t('share')}
        </Button>
      }
    />
  );
}
