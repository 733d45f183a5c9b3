import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useGetPayableAmountQuery, useMakeOrderMutation } from './api.ts';
import { sendAway } from './send-away.ts';

interface PayFormProps {
  /** Dollars. */
  least: number;
  /** Whether amounts are dollars, else quota. */
  asCurrency: boolean;
  quotaPerUnit: number;
}

const pauseMs = 300;

/** How much, what it costs, and which way to pay; the gateway's own page does the rest. */
export function PayForm({ least: leastDollars, asCurrency, quotaPerUnit }: PayFormProps) {
  const { t } = useTranslation('wallet');
  const confirm = useConfirm();
  const least = asCurrency ? leastDollars : Math.ceil(leastDollars * quotaPerUnit);
  const [text, setText] = useState(String(least));
  const amount = Math.max(1, Math.floor(Number(text)) || 1);
  const isEnough = amount >= least;
  const asked = useSettled(amount);
  const { currentData: price, error, isFetching } = useGetPayableAmountQuery(asked, { skip: asked < least });
  const [makeOrder, { isLoading }] = useMakeOrderMutation();
  const failure = isEnough ? error && t('amountFailed', { reason: messageOf(error) }) : t('tooLittle', { least });

  const pay = async (payment_method: 'zfb' | 'wx'): Promise<void> => {
    if (!isEnough || price === undefined || asked !== amount) return;
    const agreed = await confirm({
      title: t('confirmTitle'),
      text: t('confirmText', { amount: asCurrency ? `$${amount}` : amount, price, method: t(payment_method) }),
      action: t('confirmAction'),
    });
    if (!agreed) return;
    const { data: form, error: refusal } = await makeOrder({ amount, payment_method });
    if (form) sendAway(form.url, form.data);
    else toast('error', messageOf(refusal));
  };

  return (
    <Box
      component="form"
      noValidate
      onSubmit={(event: FormEvent) => event.preventDefault()}
      sx={{ display: 'flex', flexDirection: 'column', gap: 1.25 }}
    >
      <TextField
        label={asCurrency ? t('amountDollars') : t('amountQuota')}
        type="number"
        value={text}
        error={failure !== undefined}
        helperText={failure}
        onChange={(event) => setText(event.target.value)}
        slotProps={{ htmlInput: { min: least, step: 1 }, formHelperText: { role: 'alert' } }}
      />
      <Typography variant="body2" aria-live="polite">
        {t('payable')} {isEnough && price !== undefined && !isFetching ? `¥${price}` : '—'}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {(['zfb', 'wx'] as const).map((method) => (
          <Button key={method} variant="outlined" disabled={!isEnough || price === undefined || isLoading} onClick={() => pay(method)}>
            {t(method)}
          </Button>
        ))}
      </Box>
    </Box>
  );
}

/** A value once it has not changed for a moment: the server is not asked at each key. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
