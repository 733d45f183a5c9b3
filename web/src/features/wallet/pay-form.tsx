import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { AmountInput, type TopUpLimits, useAmount } from './amount-input.tsx';
import { useGetPayableAmountQuery, useMakeOrderMutation } from './api.ts';

const pauseMs = 300;

/** How much, what it costs, and which way to pay; the gateway's own page does the rest. */
export function PayForm(limits: TopUpLimits) {
  const { t } = useTranslation('wallet');
  const confirm = useConfirm();
  const { asCurrency } = limits;
  const typed = useAmount('pay', limits);
  const { amount, least, isEnough } = typed;
  const asked = useSettled(amount);
  const { currentData: price, error, isFetching } = useGetPayableAmountQuery(asked, { skip: asked < least });
  const [makeOrder, { isLoading }] = useMakeOrderMutation();
  const failure = error && t('amountFailed', { reason: messageOf(error) });

  /** The price is that of what stands in the field. */
  const isKnown = isEnough && price !== undefined && asked === amount;

  const pay = async (payment_method: 'zfb' | 'wx'): Promise<void> => {
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
      <AmountInput asCurrency={asCurrency} amount={typed} failure={failure} />
      <Typography variant="body2" aria-live="polite">
        {t('payable')} {isKnown && !isFetching ? `¥${price}` : '—'}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {(['zfb', 'wx'] as const).map((method) => (
          <Button key={method} variant="outlined" disabled={!isKnown || isLoading} onClick={() => pay(method)}>
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

/** Leaves for another site as a form does that is posted there. */
function sendAway(url: string, fields: Record<string, string>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
