import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { role } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { sessionEnded, useHasRole } from '../../shared/session.ts';
import { useGetSelfQuery, useGetStatusQuery } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { ErrorNotice, messageOf } from '../../shared/ui/error-notice.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import {
  useEndOtherSessionsMutation,
  useEndSessionMutation,
  useLeaveMutation,
  useListSessionsQuery,
  useListSignInsQuery,
  useRenewAccessTokenMutation,
} from './api.ts';
import { BindingsCard } from './bindings-card.tsx';
import { InviteCard } from './invite-card.tsx';
import { Line } from './line.tsx';
import { NoticesCard } from './notices-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { ProofProvider } from './proof.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

const browsers: [sign: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [sign: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a browser calls itself, in a few words; the beginning of it where it is none that we know. */
function browserName(agent: string): string {
  const browser = browsers.find(([sign]) => sign.test(agent))?.[1];
  const system = systems.find(([sign]) => sign.test(agent))?.[1];
  return [browser, system].filter(Boolean).join(', ') || agent.slice(0, 40);
}

const names: Record<string, string> = { github: 'GitHub', linuxdo: 'LinuxDO', oidc: 'OIDC', telegram: 'Telegram', wechat: 'WeChat' };

/** Who signed in with this account, or tried to. */
function SignInsCard() {
  const { t } = useTranslation('account');
  const [page, setPage] = useState(1);
  const { data } = useListSignInsQuery(page, { refetchOnMountOrArgChange: true });
  const wayOf = (way: string): string => {
    if (way === 'password' || way === 'passkey') return t(`signIns.${way}`);
    return names[way] ?? way;
  };
  return (
    <Card title={t('signIns.title')}>
      {data?.items.map(({ at, way, good, address, agent }, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: two in one second are told apart by nothing else
          key={`${at} ${index}`}
          label={
            <>
              <StatusTag tone={good ? 'success' : 'error'} label={t(good ? 'signIns.good' : 'signIns.failed')} /> {wayOf(way)}
            </>
          }
          value={
            <>
              <TimeText seconds={at} /> · {address} · {browserName(agent) || t('sessions.unknown')}
            </>
          }
        />
      ))}
      {data && data.total > data.page_size && (
        <div>
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('signIns.newer')}
          </Button>
          <Button disabled={page * data.page_size >= data.total} onClick={() => setPage(page + 1)}>
            {t('signIns.older')}
          </Button>
        </div>
      )}
    </Card>
  );
}

/** Who one is, how one gets in, and how one is warned: what its page and the first tab of the settings show. Comes after their frame. */
export function AccountCards() {
  const { data: self, error, refetch } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: status } = useGetStatusQuery();
  if (error && !self) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!self || !status) return null;
  return (
    <ProofProvider>
      <Box
        // Below each other in two columns, so that a short card leaves no hole beside a tall one.
        sx={{ columnCount: { xs: 1, lg: 2 }, columnGap: 1.5, '& > *': { breakInside: 'avoid', mb: 1.5 }, pb: 1.5 }}
      >
        <ProfileCard self={self} />
        <InviteCard self={self} />
        <BindingsCard self={self} status={status} />
        <PasswordCard />
        <TwoFactorCard />
        <PasskeysCard />
        <NoticesCard self={self} />
        <TokenCard />
        <SessionsCard />
        <SignInsCard />
        <LeaveCard username={self.username} />
      </Box>
    </ProofProvider>
  );
}

/** Closing the account, for good: its name has to be typed. */
function LeaveCard({ username }: { username: string }) {
  const { t } = useTranslation('account');
  const dispatch = useDispatch();
  const confirm = useConfirm();
  const [leave, { isLoading }] = useLeaveMutation();
  const go = async (): Promise<void> => {
    if (!(await confirm({ title: t('leave.title'), text: t('leave.question'), action: t('leave.go'), dangerous: true, typed: username })))
      return;
    const { error } = await leave();
    if (error) return toast('error', messageOf(error));
    toast('success', t('leave.done'));
    dispatch(sessionEnded('left'));
  };
  if (useHasRole(role.root)) return null;
  return (
    <Card title={t('leave.title')} lead={t('leave.lead')}>
      <div>
        <Button variant="outlined" color="error" onClick={go} loading={isLoading}>
          {t('leave.go')}
        </Button>
      </div>
    </Card>
  );
}

/** The token by which programs use the console in one's name; each new one ends the last. */
function TokenCard() {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const [renew, { data: token, isLoading }] = useRenewAccessTokenMutation();
  const make = async (): Promise<void> => {
    if (!(await confirm({ title: t('token.title'), text: t('token.question'), action: t('token.make') }))) return;
    const { data, error } = await renew();
    if (error) return toast('error', messageOf(error));
    if (data && (await copyText(data))) toast('success', t('token.copied'));
  };
  return (
    <Card title={t('token.title')} lead={t('token.lead')}>
      {token && (
        <TextField
          label={t('token.once')}
          value={token}
          slotProps={{ input: { readOnly: true, endAdornment: <CopyButton text={token} label={t('token.copy')} /> } }}
        />
      )}
      <div>
        <Button variant="outlined" onClick={make} loading={isLoading}>
          {t('token.make')}
        </Button>
      </div>
    </Card>
  );
}

/** Where one is signed in. */
function SessionsCard() {
  const { t } = useTranslation('account');
  const { data: sessions = [] } = useListSessionsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [end] = useEndSessionMutation();
  const [endOthers, { isLoading }] = useEndOtherSessionsMutation();
  const tell = ({ error }: { error?: unknown }): void => {
    if (error) toast('error', messageOf(error));
    else toast('success', t('sessions.ended'));
  };
  return (
    <Card title={t('sessions.title')}>
      {sessions.map(({ id, agent, address, opened_time, seen_time, current }) => (
        <Line
          key={id}
          label={
            <>
              {browserName(agent) || t('sessions.unknown')}{' '}
              {current && <Chip size="small" color="primary" variant="outlined" label={t('sessions.current')} />}
            </>
          }
          value={
            <>
              {address} · {t('sessions.since')} <TimeText seconds={opened_time} /> · {t('sessions.seen')} <TimeText seconds={seen_time} />
            </>
          }
          action={
            !current && (
              <Button
                color="inherit"
                onClick={async () => tell(await end(id))}
                aria-label={`${t('sessions.end')}: ${browserName(agent)} ${address}`}
              >
                {t('sessions.end')}
              </Button>
            )
          }
        />
      ))}
      {sessions.length > 1 && (
        <div>
          <Button variant="outlined" onClick={async () => tell(await endOthers())} loading={isLoading}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
    </Card>
  );
}
