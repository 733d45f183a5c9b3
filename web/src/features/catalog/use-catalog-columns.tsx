import Box from '@mui/material/Box';
import type { PriceSourceView, ProposalView } from '@tollgate/contracts/api/catalog';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatDollars, type Tone } from '../../shared/format.ts';
import { dollars } from '../../shared/prices.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint, Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

const tones: Record<ProposalView['status'], Tone> = {
  waiting: 'warning',
  quarantined: 'error',
  scheduled: 'info',
  applied: 'success',
  rejected: 'neutral',
};

/** The classes of which the price differs, with both prices. */
function changesOf({ before, after }: ProposalView): string[] {
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((kind) => before[kind] !== after[kind]);
  const shown = (price: number | undefined): string => (price === undefined ? '–' : dollars(price));
  return kinds.map((kind) => `${kind} ${shown(before[kind])} → ${shown(after[kind])}`);
}

export function useProposalColumns(): Column<ProposalView>[] {
  const { t } = useTranslation('catalog');
  return useMemo(() => {
    const what = (one: ProposalView): string => {
      if (one.kind === 'price') return changesOf(one).join(', ');
      return t(`actions.${one.action}`, { channels: one.channels.map(({ name }) => name).join(', ') });
    };
    const reasons = ({ reasons: all }: ProposalView): string => all.map((one) => t(`reasons.${one}` as 'reasons.rise')).join(', ');
    const cost = (one: ProposalView): string =>
      one.cost_before + one.cost_after === 0 ? '' : `${formatDollars(one.cost_before)} → ${formatDollars(one.cost_after)}`;
    return [
      { id: 'model', header: t('columns.model'), primary: true, value: ({ model }) => model, cell: ({ model }) => <code>{model}</code> },
      {
        id: 'status',
        phone: 'bare',
        header: t('columns.status'),
        value: ({ status }) => t(`statuses.${status}`),
        cell: ({ status }) => <StatusTag tone={tones[status]} label={t(`statuses.${status}`)} />,
      },
      {
        id: 'kind',
        phone: 'bare',
        header: t('columns.kind'),
        value: ({ kind }) => t(`kinds.${kind}`),
        cell: ({ kind }) => t(`kinds.${kind}`),
      },
      {
        id: 'change',
        header: t('columns.change'),
        value: what,
        cell: (one) => (
          <Box component="span" sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
            {what(one) || <Nothing />}
          </Box>
        ),
      },
      { id: 'reasons', phone: 'figure', header: t('columns.reasons'), value: reasons, cell: (one) => reasons(one) || <Nothing /> },
      { id: 'cost', phone: 'figure', header: t('columns.cost'), align: 'right', value: cost, cell: (one) => cost(one) || <Nothing /> },
      {
        id: 'source',
        needs: 'middle',
        header: t('columns.source'),
        clip: true,
        value: ({ source }) => source,
        cell: ({ source }) => <Faint>{source}</Faint>,
      },
      {
        id: 'time',
        needs: 'middle',
        header: t('columns.time'),
        value: (one) => formatDateTime(one.effective_time || one.created_time),
        exported: { as: 'time', of: (one) => one.effective_time || one.created_time },
        cell: (one) => <TimeText seconds={one.effective_time || one.created_time} />,
      },
    ];
  }, [t]);
}

export function useSourceColumns(): Column<PriceSourceView & { id: string }>[] {
  const { t } = useTranslation('catalog');
  return useMemo(
    () => [
      { id: 'name', header: t('columns.name'), primary: true, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
      { id: 'format', phone: 'bare', header: t('columns.format'), value: ({ kind }) => kind, cell: ({ kind }) => kind },
      { id: 'url', header: t('columns.address'), clip: true, value: ({ url }) => url, cell: ({ url }) => <Faint>{url}</Faint> },
      {
        id: 'last',
        phone: 'bare',
        header: t('columns.last'),
        value: ({ last_time }) => (last_time === 0 ? t('never') : formatDateTime(last_time)),
        exported: { as: 'time', of: ({ last_time }) => last_time || '' },
        cell: ({ last_time }) => (last_time === 0 ? t('never') : <TimeText seconds={last_time} />),
      },
      {
        id: 'result',
        header: t('columns.result'),
        value: (source) => source.error || t('taken', source),
        cell: (source) => source.error || (source.last_time === 0 ? <Nothing /> : t('taken', source)),
      },
    ],
    [t],
  );
}
