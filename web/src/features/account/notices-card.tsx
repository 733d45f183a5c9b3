import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import type { UserView } from '@tollgate/contracts/api/user';
import { type WebhookForm, webhookForms } from '@tollgate/contracts/webhook-forms';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AmountChips } from '../../shared/form/amount-chips.tsx';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { parseQuota, quotaInput } from '../../shared/money.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useSaveNoticesMutation, useTestWebhookMutation } from './api.ts';

interface Setting {
  notify_type?: 'email' | 'webhook';
  quota_warning_threshold?: number;
  webhook_url?: string;
  webhook_form?: WebhookForm;
  notification_email?: string;
}

const defaultThreshold = 500_000;
const usualThresholds = [100_000, defaultThreshold, 1_000_000, 5_000_000];

/** How one hears that the quota runs out, and when. */
export function NoticesCard({ self }: { self: UserView }) {
  const { t } = useTranslation('account');
  const display = useMoneyDisplay();
  const stored = settingIn(self.setting);
  const [save, { isLoading, error }] = useSaveNoticesMutation();
  const [way, setWay] = usePersistedState('notices/way', stored.notify_type ?? 'email');
  const [address, setAddress] = usePersistedState('notices/address', stored.notification_email ?? '');
  // Neither is kept in the tab: the addresses of robots have their keys in them.
  const [url, setUrl] = useState(stored.webhook_url ?? '');
  const [secret, setSecret] = useState('');
  const [form, setForm] = usePersistedState<WebhookForm>('notices/form', stored.webhook_form ?? 'json');
  const [test, testing] = useTestWebhookMutation();
  const [text, setText] = usePersistedState('notices/threshold', quotaInput(stored.quota_warning_threshold ?? defaultThreshold, display));
  const threshold = parseQuota(text, display);
  const isWrong = threshold === undefined || threshold <= 0;
  const webhook = { webhook_url: url.trim(), webhook_secret: secret, webhook_form: form };
  const isMail = address.trim() === '' || /^[^\s@]+@[^\s@]+$/.test(address.trim());
  const isAddress = /^https:\/\/[^/]/.test(webhook.webhook_url);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isWrong || (way === 'email' && !isMail)) return;
    const answer = await save({
      notify_type: way,
      quota_warning_threshold: threshold,
      ...webhook,
      webhook_url: way === 'webhook' ? webhook.webhook_url : '',
      notification_email: way === 'email' ? address.trim() : '',
    });
    if (!answer.error) toast('success', t('saved'));
  };
  const sendTest = async (): Promise<void> => {
    const answer = await test(webhook);
    if (answer.error) toast('error', messageOf(answer.error));
    else toast('success', t('notices.tested'));
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
            helperText={isMail ? t('notices.addressHint') : t('notices.addressWrong')}
            value={address}
            error={!isMail}
            onChange={(event) => setAddress(event.target.value)}
          />
        ) : (
          <>
            <TextField
              label={t('notices.url')}
              helperText={url === '' || isAddress ? t(`notices.urlHints.${form}`) : t('notices.urlWrong')}
              placeholder="https://"
              value={url}
              error={url !== '' && !isAddress}
              onChange={(event) => setUrl(event.target.value)}
            />
            <TextField select label={t('notices.form')} value={form} onChange={(event) => setForm(event.target.value as WebhookForm)}>
              {webhookForms.map((name) => (
                <MenuItem key={name} value={name}>
                  {t(`notices.forms.${name}`)}
                </MenuItem>
              ))}
            </TextField>
            <TextField
              label={t('notices.secret')}
              helperText={t(`notices.secretHints.${form}`)}
              autoComplete="off"
              value={secret}
              onChange={(event) => setSecret(event.target.value)}
            />
          </>
        )}
        <div>
          <TextField
            label={t('notices.threshold')}
            value={text}
            error={isWrong}
            helperText={isWrong ? t('notices.thresholdWrong') : undefined}
            onChange={(event) => setText(event.target.value)}
            slotProps={{ formHelperText: { role: 'alert' } }}
          />
          <AmountChips amounts={usualThresholds} chosen={threshold} onChoose={(amount) => setText(quotaInput(amount, display))} />
        </div>
        {error && <Alert severity="error">{messageOf(error)}</Alert>}
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          <Button type="submit" variant="outlined" loading={isLoading}>
            {t('save')}
          </Button>
          {way === 'webhook' && (
            <Button color="inherit" disabled={!isAddress} loading={testing.isLoading} onClick={sendTest}>
              {t('notices.test')}
            </Button>
          )}
        </Box>
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
