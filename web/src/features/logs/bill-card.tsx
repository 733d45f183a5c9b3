import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { LogView } from '@tollgate/contracts/api/log';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDollars, formatFigure } from '../../shared/format.ts';
import { dollars } from '../../shared/prices.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { type BillLine, billOf } from './billing.ts';
import { detailsOf } from './log-details.ts';

/** How a charge comes about, line by line: what, the formula, the amount. */
export function BillCard({ log }: { log: LogView }) {
  const { t } = useTranslation('logs');
  const { quotaPerUnit } = useMoneyDisplay();
  const details = detailsOf(log);
  const bill = billOf(log, details, details.quota_per_unit ?? quotaPerUnit);
  if (!bill) return null;
  const money = formatDollars;
  const lines =
    bill.kind === 'fixed'
      ? [{ label: t('bill.call'), formula: t('bill.once'), value: money(bill.modelPrice) }]
      : bill.lines.map((line) => ({
          label: t(`bill.${line.kind}`),
          formula: formulaOf(t, line),
          value: money(line.dollars),
        }));
  const isRounded = !bill.isOff && money(bill.total) !== money(bill.charged);
  const before = bill.kind === 'fixed' ? bill.modelPrice : bill.sum;
  return (
    <div>
      <Typography variant="h3" component="h2" sx={{ mb: 0.75 }}>
        {t('bill.title')}
      </Typography>
      <Box
        component="table"
        sx={{
          borderCollapse: 'collapse',
          width: '100%',
          fontSize: 12.5,
          fontVariantNumeric: 'tabular-nums',
          '& td, & th': {
            p: '2px 0',
            height: 'auto',
            border: 0,
            fontWeight: 400,
            textAlign: 'left',
            position: 'static',
            background: 'none',
            whiteSpace: 'normal',
          },
          '& td:nth-of-type(2)': { textAlign: 'right' },
          '& td:first-of-type': { color: 'text.secondary', px: 1.5 },
        }}
      >
        <tbody>
          {lines.map(({ label, formula, value }) => (
            <Line key={label} label={label} formula={formula} value={value} />
          ))}
          <Line
            label={t('bill.group')}
            formula={t('bill.times', { amount: money(before), ratio: formatFigure(bill.groupRatio) })}
            value={money(bill.total)}
          />
          <Box component="tr" sx={{ '&& th, && td': { borderTop: 1, borderColor: 'divider', pt: 0.5, fontWeight: 600 } }}>
            <th scope="row">{t('bill.charged')}</th>
            <td>{t(isRounded ? 'bill.quotaRounded' : 'bill.quota', { amount: formatCount(log.quota) })}</td>
            <td data-charged>{money(bill.charged)}</td>
          </Box>
        </tbody>
      </Box>
      {log.uncollected > 0 && (
        <Alert severity="warning" sx={{ mt: 1 }}>
          {t('bill.uncollected', { amount: money(log.uncollected / quotaPerUnit) })}
        </Alert>
      )}
      <Typography variant="caption" color={bill.isOff ? 'warning' : 'textSecondary'} component="p" sx={{ mt: 0.75 }}>
        {bill.isOff ? t('bill.off') : t('bill.note')}
      </Typography>
    </div>
  );
}

/** Tokens are told by the million, as prices of models are; what is paid by the piece, by the piece. */
function formulaOf(t: TFunction<'logs'>, { kind, tokens, perMillion }: BillLine): string {
  const amount = formatCount(tokens);
  if (!pieces.has(kind)) return t('bill.formula', { count: tokens, tokens: amount, price: dollars(perMillion) });
  return t('bill.pieces', { amount, price: dollars(perMillion / 1e6) });
}

const pieces: ReadonlySet<string> = new Set(['pictures', 'seconds', 'toolCalls', 'searches']);

function Line({ label, formula, value }: { label: string; formula: string; value: string }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{formula}</td>
      <td>{value}</td>
    </tr>
  );
}
