import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import type { UserView } from '@tollgate/contracts/api/user';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseQuota, quotaInput } from '../../shared/money.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useSaveNoticesMutation } from './api.ts';
import { Card } from './card.tsx';

interface Setting {
  notify_type?: 'email' | 'webhook';
  quota_warning_threshold?: number;
  webhook_url?: string;
  /** As it was chosen by a call; the page leaves it as it is. */
  webhook_form?: 'json' | 'wecom' | 'dingtalk';
  notification_email?: string;
}

const defaultThreshold = 500_000;

/** How one hears that the quota runs out, and when. */
export function NoticesCard({ self }: { self: UserView }) {
  const { t } = useTranslation('account');
  const display = useMoneyDisplay();
  const stored = settingIn(self.setting);
  const [save, { isLoading, error }] = useSaveNoticesMutation();
  const [way, setWay] = useState(stored.notify_type ?? 'email');
  const [address, setAddress] = useState(stored.notification_email ?? '');
  const [url, setUrl] = useState(stored.webhook_url ?? '');
  const [secret, setSecret] = useState('');
  const [text, setText] = useState(() => quotaInput(stored.quota_warning_threshold ?? defaultThreshold, display));
  const threshold = parseQuota(text, display);
  const isWrong = threshold === undefined || threshold <= 0;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isWrong) return;
    const answer = await save({
      notify_type: way,
      quota_warning_threshold: threshold,
      webhook_url: way === 'webhook' ? url.trim() : '',
      webhook_secret: secret,
      webhook_form: stored.webhook_form ?? 'json',
      notification_email: way === 'email' ? address.trim() : '',
    });
    if (!answer.error) toast('success', t('saved'));
  };
  return (
    <Card title={t('notices.title')} lead={t('notices.lead')}>
      <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 1.25 }}>
        <RadioGroup
          row
          aria-label={t('notices.way')}
          value={way}
          onChange={(_event, value) => setWay(value === 'webhook' ? 'webhook' : 'email')}
        >
          <FormControlLabel value="email" control={<Radio size="small" />} label={t('notices.email')} />
          <FormControlLabel value="webhook" control={<Radio size="small" />} label={t('notices.webhook')} />
        </RadioGroup>
        {way === 'email' ? (
          <TextField
            type="email"
            label={t('notices.address')}
            helperText={t('notices.addressHint')}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        ) : (
          <>
            <TextField
              label={t('notices.url')}
              helperText={t('notices.urlHint')}
              placeholder="https://"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
            <TextField
              label={t('notices.secret')}
              helperText={t('notices.secretHint')}
              autoComplete="off"
              value={secret}
              onChange={(event) => setSecret(event.target.value)}
            />
          </>
        )}
        <TextField
          label={t('notices.threshold')}
          value={text}
          error={isWrong}
          helperText={isWrong ? t('notices.thresholdWrong') : undefined}
          onChange={(event) => setText(event.target.value)}
          slotProps={{ formHelperText: { role: 'alert' } }}
        />
        {error && <Alert severity="error">{messageOf(error)}</Alert>}
        <div>
          <Button type="submit" variant="outlined" loading={isLoading}>
            {t('save')}
          </Button>
        </div>
      </Box>
    </Card>
  );
}

function settingIn(text: string): Setting {
  try {
    return JSON.parse(text || '{}') as Setting;
  } catch {
    return {};
  }
}
