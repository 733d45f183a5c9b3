import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { AmountInput, type TopUpLimits, useAmount } from './amount-input.tsx';
import { useMakeCardOrderMutation } from './api.ts';

/** Leads to Stripe's page, which says what is paid and takes the card. */
export function CardForm(limits: TopUpLimits) {
  const { t } = useTranslation('wallet');
  const amount = useAmount('pay-by-card', limits);
  const [makeOrder, { isLoading }] = useMakeCardOrderMutation();

  const pay = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!amount.isEnough) return;
    const { data, error } = await makeOrder(amount.amount);
    if (data) window.location.assign(data.url);
    else toast('error', messageOf(error));
  };

  return (
    <Box component="form" noValidate onSubmit={pay} sx={{ display: 'flex', flexDirection: 'column', gap: 1.25 }}>
      <AmountInput asCurrency={limits.asCurrency} amount={amount} />
      <Button type="submit" variant="outlined" disabled={!amount.isEnough || isLoading} sx={{ alignSelf: 'flex-start' }}>
        {t('card')}
      </Button>
    </Box>
  );
}
