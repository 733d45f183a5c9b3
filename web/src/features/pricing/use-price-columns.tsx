import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import Link from '@mui/material/Link';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFigure } from '../../shared/format.ts';
import { dollars, priceIn } from '../../shared/prices.ts';
import type { Column } from '../../shared/ui/column.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { Faint, Nothing } from '../../shared/ui/faint.tsx';
import { GroupTag } from '../../shared/ui/group-tag.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import type { Model } from './use-models.ts';

interface PriceColumns {
  group: string;
  /** By group, of those that the visitor may use. */
  ratios: Record<string, number>;
  /** How many tokens a price is for. */
  unit: number;
  onGroup: (group: string) => void;
}

export function usePriceColumns({ group, ratios, unit, onGroup }: PriceColumns): Column<Model>[] {
  const { t } = useTranslation(['pricing', 'shared']);
  return useMemo(() => {
    const ratio = ratios[group] ?? 1;
    const isOffered = (model: Model): boolean => model.enable_groups.includes(group);
    const priceText = (model: Model, side: 'input' | 'output'): string => {
      const price = priceIn(model, ratio);
      if (price.kind === 'tokens') return dollars((price[side] * unit) / 1e6);
      return side === 'input' ? t('perCallPrice', { price: dollars(price.perCall) }) : '';
    };
    return [
      {
        id: 'model',
        header: t('columns.model'),
        primary: true,
        value: ({ model_name }) => model_name,
        cell: ({ model_name }) => (
          <Box
            component="span"
            sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.25, maxWidth: '100%', overflowWrap: 'anywhere' }}
          >
            {model_name}
            <CopyButton text={model_name} label={t('copyName', { name: model_name })} />
          </Box>
        ),
      },
      {
        id: 'available',
        phone: 'bare',
        header: t('columns.available'),
        value: (model) => t(isOffered(model) ? 'available' : 'unavailable'),
        cell: (model) => (
          <StatusTag tone={isOffered(model) ? 'success' : 'neutral'} label={t(isOffered(model) ? 'available' : 'unavailable')} />
        ),
      },
      {
        id: 'type',
        phone: 'bare',
        header: t('columns.type'),
        value: ({ quota_type }) => t(quota_type === 1 ? 'byCall' : 'byUsage'),
        cell: ({ quota_type }) => t(quota_type === 1 ? 'byCall' : 'byUsage'),
      },
      {
        id: 'input',
        phone: 'figure',
        header: t('columns.input'),
        align: 'right',
        sortable: true,
        value: (model) => priceText(model, 'input'),
        cell: (model) => priceText(model, 'input'),
      },
      {
        id: 'output',
        phone: 'figure',
        header: t('columns.output'),
        align: 'right',
        value: (model) => priceText(model, 'output'),
        cell: (model) => priceText(model, 'output') || <Nothing />,
      },
      {
        id: 'ratios',
        header: t('columns.ratios'),
        needs: 'middle',
        value: (model) => ratiosText(model, ratio),
        cell: (model) => (model.quota_type === 1 ? <Nothing /> : <Faint>{ratiosText(model, ratio)}</Faint>),
      },
      {
        id: 'origin',
        header: t('columns.origin'),
        needs: 'middle',
        value: ({ price_origin }) => t(`origins.${price_origin}`),
        cell: ({ price_origin, price_source, price_read }) =>
          price_source === undefined ? (
            <Faint>{t(`origins.${price_origin}`)}</Faint>
          ) : (
            <Link href={price_source} target="_blank" rel="noreferrer">
              {t('origins.catalogOf', { day: price_read })}
            </Link>
          ),
      },
      {
        id: 'groups',
        header: t('columns.groups'),
        value: ({ enable_groups }) => enable_groups.filter((name) => name in ratios).join(' '),
        cell: ({ enable_groups, model_name }) => (
          <Box component="span" sx={{ display: 'inline-flex', gap: 0.5, flexWrap: 'wrap', py: 0.5, maxWidth: '100%' }}>
            {enable_groups
              .filter((name) => name in ratios)
              .map((name) => (
                <Chip
                  key={name}
                  label={<GroupTag name={name} />}
                  variant="outlined"
                  aria-label={t('showGroup', { group: name, model: model_name })}
                  aria-pressed={name === group}
                  onClick={() => onGroup(name)}
                  sx={{ maxWidth: '100%', ...(name === group && { borderColor: 'primary.main' }) }}
                />
              ))}
          </Box>
        ),
      },
    ];
  }, [t, group, ratios, unit, onGroup]);
}

function ratiosText({ model_ratio, completion_ratio }: Model, groupRatio: number): string {
  return `${formatFigure(model_ratio)} × ${formatFigure(completion_ratio)} × ${formatFigure(groupRatio)}`;
}
