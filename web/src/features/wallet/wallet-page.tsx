import ReceiptLongOutlined from '@mui/icons-material/ReceiptLongOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { OrderView } from '@tollgate/contracts/api/order';
import type { StatusView } from '@tollgate/contracts/api/status';
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../shared/call.ts';
import { formatQuota, type Tone } from '../../shared/format.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useGetSelfQuery, useGetStatusQuery, useMoneyDisplay } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import type { Column } from '../../shared/ui/column.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { orderColumns } from '../../shared/ui/order-columns.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { usePageParam } from '../../shared/url-state.ts';
import { AmountInput, type TopUpLimits, useAmount } from './amount-input.tsx';
import { useListOwnOrdersQuery, useMakeCardOrderMutation, useRedeemMutation } from './api.ts';
import { PayForm } from './pay-form.tsx';

const tones: Record<OrderView['status'], Tone> = {
  pending: 'neutral',
  paid: 'info',
  success: 'success',
  refunded: 'neutral',
  expired: 'neutral',
};

function useOrderColumns(): Column<OrderView>[] {
  const { t } = useTranslation('wallet');
  return useMemo(() => Object.values(orderColumns<OrderView>((key) => t(key), tones)), [t]);
}

/** What one has, the two ways to get more, and what one has ordered. */
export function WalletPage() {
  const { t } = useTranslation('wallet');
  const { data: self } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: status } = useGetStatusQuery();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const list = useList(useListOwnOrdersQuery({ p: page, page_size: pageSize }, { refetchOnMountOrArgChange: true }));
  const columns = useOrderColumns();
  return (
    <PageFrame title={t('title')}>
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: '1fr', md: 'repeat(auto-fit, minmax(200px, 1fr))' },
          alignItems: 'stretch',
          pb: 1.5,
        }}
      >
        <Card title={t('balance')}>
          <Typography component="p" sx={{ fontSize: 26, fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
            {self ? <QuotaText quota={self.quota} /> : '…'}
          </Typography>
          <Typography variant="body2" color="textSecondary">
            {t('used')} {self && <QuotaText quota={self.used_quota} />}
          </Typography>
        </Card>
        <Card title={t('redeem')}>
          <RedeemForm link={status?.top_up_link ?? ''} />
        </Card>
        {(status?.enable_online_topup || !status?.enable_stripe_topup) && (
          <Card title={t('pay')}>
            {status?.enable_online_topup ? (
              <PayForm {...limitsOf(status)} />
            ) : (
              <Typography variant="body2" color="textSecondary">
                {t('payOff')}
              </Typography>
            )}
          </Card>
        )}
        {status?.enable_stripe_topup && (
          <Card title={t('card')}>
            <CardForm {...limitsOf(status)} />
          </Card>
        )}
      </Box>
      <Typography variant="h2" sx={{ fontSize: 14, pb: 0.75 }}>
        {t('orders')}
      </Typography>
      <ResourceTable
        name="orders"
        label={t('orders')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/order/self/export', { query: { format } })}
        page={page}
        onPage={setPage}
        empty={<EmptyState icon={<ReceiptLongOutlined />} title={t('none')} text={t('noneText')} />}
      />
    </PageFrame>
  );
}

function limitsOf(status: StatusView): TopUpLimits {
  return { least: status.min_topup, asCurrency: status.display_in_currency, quotaPerUnit: status.quota_per_unit };
}

/** Leads to Stripe's page, which says what is paid and takes the card. */
function CardForm(limits: TopUpLimits) {
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

/** A code is typed or pasted, and becomes balance. `link` is where codes are to be had. */
function RedeemForm({ link }: { link: string }) {
  const { t } = useTranslation('wallet');
  const money = useMoneyDisplay();
  const [code, setCode] = useState('');
  const [failure, setFailure] = useState<string>();
  const [redeem, { isLoading }] = useRedeemMutation();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isLoading) return;
    if (code.trim() === '') return setFailure(t('codeMissing'));
    const { data, error } = await redeem(code.trim());
    if (error) return setFailure(t('redeemFailed', { reason: messageOf(error) }));
    setFailure(undefined);
    setCode('');
    toast('success', t('redeemed', { amount: formatQuota(data ?? 0, money) }));
  };

  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 1.25 }}>
      <TextField
        label={t('code')}
        value={code}
        error={failure !== undefined}
        helperText={failure}
        onChange={(event) => {
          setCode(event.target.value);
          setFailure(undefined);
        }}
        slotProps={{ htmlInput: { maxLength: 64, autoComplete: 'off', spellCheck: false }, formHelperText: { role: 'alert' } }}
      />
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        <Button type="submit" variant="contained" loading={isLoading}>
          {t('redeem')}
        </Button>
        <Button
          color="inherit"
          onClick={() => (link === '' ? toast('error', t('linkMissing')) : void window.open(link, '_blank', 'noopener'))}
        >
          {t('getCode')}
        </Button>
      </Box>
    </Box>
  );
}
