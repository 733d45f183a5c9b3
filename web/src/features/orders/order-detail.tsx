import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { CallbackVerdict, ManagedOrderView } from '@tollgate/contracts/api/order';
import { useTranslation } from 'react-i18next';
import { formatDateTime, type Tone } from '../../shared/format.ts';
import { StatusTag } from '../../shared/ui/status-tag.tsx';

const tones: Record<CallbackVerdict, Tone> = {
  paid: 'success',
  repeated: 'neutral',
  not_paid: 'neutral',
  wrong_merchant: 'error',
  wrong_amount: 'error',
  wrong_currency: 'error',
};

/** When what happened, and each callback of the gateway with what it came to. */
export function OrderDetail({ order }: { order: ManagedOrderView }) {
  const { t } = useTranslation('orders');
  const steps: [string, string][] = [[t('ordered'), formatDateTime(order.create_time)]];
  if (order.paid_time > 0) steps.push([t('paid'), formatDateTime(order.paid_time)]);
  if (order.complete_time > 0) {
    const at = formatDateTime(order.complete_time);
    steps.push([t('credited'), order.completed_by ? t('byHand', { time: at, name: order.completed_by }) : at]);
  }
  if (Number(order.refunded) > 0) steps.push([t('refunded'), `${order.refunded} ${order.currency}`]);
  return (
    <Box sx={{ p: 2, display: 'flex', flexDirection: 'column', gap: 1.5, fontSize: 13 }}>
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: 'auto 1fr',
          columnGap: 2,
          rowGap: 0.5,
          '& dt': { color: 'text.secondary' },
          '& dd': { m: 0 },
        }}
      >
        {steps.map(([name, value]) => (
          <Box key={name} sx={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Box>
        ))}
      </Box>
      <div>
        <Typography variant="h3" component="h2" sx={{ mb: 0.5 }}>
          {t('trail')}
        </Typography>
        {order.callbacks.length === 0 && <Typography variant="body2">{t('noCallbacks')}</Typography>}
        <Box component="ol" sx={{ m: 0, p: 0, listStyle: 'none', display: 'flex', flexDirection: 'column', gap: 1 }}>
          {order.callbacks.map(({ time, verdict, address, content }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: callbacks are only ever added
            <li key={place}>
              <Box sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap' }}>
                <span>{formatDateTime(time)}</span>
                <StatusTag tone={tones[verdict]} label={t(`verdicts.${verdict}`)} />
                <span>{address}</span>
              </Box>
              <Box component="code" sx={{ fontSize: 12, color: 'text.secondary', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
                {content}
              </Box>
            </li>
          ))}
        </Box>
      </div>
    </Box>
  );
}
