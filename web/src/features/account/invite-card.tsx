import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import type { UserView } from '@tollgate/contracts/api/user';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { parseQuota, quotaInput } from '../../shared/money.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useTransferMutation } from './api.ts';
import { Figure, Figures } from './figures.tsx';

/** The link to invite others with, and what that has earned. */
export function InviteCard({ self }: { self: UserView }) {
  const { t } = useTranslation('account');
  const link = `${location.origin}/register?aff=${self.aff_code}`;
  return (
    <Card title={t('invite.title')}>
      <TextField
        label={t('invite.link')}
        value={link}
        slotProps={{ input: { readOnly: true, endAdornment: <CopyButton text={link} label={t('invite.copy')} /> } }}
        onFocus={(event) => event.target.select()}
        onClick={async () => {
          if (await copyText(link)) toast('success', t('invite.copied'));
        }}
      />
      <Figures>
        <Figure name={t('invite.pending')}>
          <QuotaText quota={self.aff_quota} />
        </Figure>
        <Figure name={t('invite.total')}>
          <QuotaText quota={self.aff_history_quota} />
        </Figure>
        <Figure name={t('invite.count')}>{formatCount(self.aff_count)}</Figure>
      </Figures>
      <TransferForm available={self.aff_quota} />
    </Card>
  );
}

function TransferForm({ available }: { available: number }) {
  const { t } = useTranslation('account');
  const display = useMoneyDisplay();
  const [transfer, { isLoading, error }] = useTransferMutation();
  const [text, setText] = usePersistedState('transfer', quotaInput(display.quotaPerUnit, display));
  const quota = parseQuota(text, display);
  const faultOf = (): string | undefined => {
    if (quota !== undefined && quota < display.quotaPerUnit)
      return t('invite.tooLittle', { amount: formatQuota(display.quotaPerUnit, display) });
    return quota === undefined || quota > available ? t('invite.tooMuch') : undefined;
  };
  const isEmpty = available <= 0;
  const fault = isEmpty ? undefined : faultOf();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (fault !== undefined || quota === undefined) return;
    const answer = await transfer(quota);
    if (!answer.error) toast('success', t('invite.transferred'));
  };
  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', gap: 1.25, alignItems: 'flex-start' }}>
      <TextField
        label={t('invite.amount')}
        value={text}
        disabled={isEmpty}
        error={fault !== undefined || error !== undefined}
        helperText={fault ?? (error && messageOf(error))}
        onChange={(event) => setText(event.target.value)}
        slotProps={{ formHelperText: { role: 'alert' } }}
      />
      <Button type="submit" variant="outlined" loading={isLoading} disabled={isEmpty}>
        {t('invite.transfer')}
      </Button>
    </Box>
  );
}
