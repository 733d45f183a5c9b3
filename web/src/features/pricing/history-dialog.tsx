import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';
import { formatDateTime } from '../../shared/format.ts';
import { dollars } from '../../shared/prices.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { PlainTable } from '../../shared/ui/plain-table.tsx';

const { useGetPriceHistoryQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    getPriceHistory: build.query({
      ...calls((model: string) => call('GET /api/pricing/history', { query: { model } })),
      providesTags: ['Model'],
    }),
  }),
});

/** How the price of a model has changed, for a million tokens or a call, before the ratio of a group. */
export function HistoryDialog({ model, onClose }: { model: string; onClose: () => void }) {
  const { t } = useTranslation(['pricing', 'shared']);
  const { data, error } = useGetPriceHistoryQuery(model);
  const shown = (price: number | undefined): string => (price === undefined ? '–' : dollars(price));
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="history-title" transitionDuration={80}>
      <DialogTitle id="history-title" sx={{ overflowWrap: 'anywhere' }}>
        {t('historyOf', { name: model })}
      </DialogTitle>
      <DialogContent tabIndex={0}>
        {error !== undefined && <Typography color="error">{messageOf(error)}</Typography>}
        {data?.length === 0 && <Typography variant="body2">{t('noHistory')}</Typography>}
        {data !== undefined && data.length > 0 && (
          <PlainTable
            label={t('historyOf', { name: model })}
            heads={[t('since'), t('columns.input'), t('columns.output')]}
            align="right"
            rows={data.map(({ time, prices }) => ({
              key: String(time),
              cells: [
                formatDateTime(time),
                prices.call === undefined ? shown(prices.input) : t('perCallPrice', { price: shown(prices.call) }),
                shown(prices.output),
              ],
            }))}
          />
        )}
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
