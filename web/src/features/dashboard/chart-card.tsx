import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import { Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import type { BarsSeries } from './stacked-bars.tsx';

const StackedBars = lazyPart(async () => (await import('./stacked-bars.tsx')).StackedBars, { suspends: true });

interface ChartCardProps {
  title: string;
  /** What has to be known of the numbers, '' when there is nothing. */
  about?: string;
  labels: string[];
  series: BarsSeries[];
  format: (value: number) => string;
  isWaiting: boolean;
}

/** A chart over time. The same as a table is always there for who cannot see charts, and for everybody on demand. */
export function ChartCard({ title, about, labels, series, format, isWaiting }: ChartCardProps) {
  const { t } = useTranslation('dashboard');
  const [isTable, setTable] = useState(false);
  const id = useId();
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0));
  return (
    <Card
      title={title}
      lead={about}
      aside={
        <Button
          color="inherit"
          aria-pressed={isTable}
          aria-controls={isWaiting || isEmpty ? undefined : id}
          onClick={() => setTable(!isTable)}
          sx={{ minHeight: 28 }}
        >
          {t('asTable')}
        </Button>
      }
    >
      {isWaiting && <Skeleton variant="rounded" height={300} />}
      {!isWaiting && isEmpty && (
        <Box sx={{ height: 300, display: 'grid', placeItems: 'center', color: 'text.secondary', fontSize: 13 }}>{t('noData')}</Box>
      )}
      {!isWaiting && !isEmpty && (
        <>
          {!isTable && (
            <Suspense fallback={<Skeleton variant="rounded" height={300} />}>
              <StackedBars labels={labels} series={series} format={format} />
            </Suspense>
          )}
          <ChartTable id={id} title={title} labels={labels} series={series} format={format} isSeen={isTable} />
        </>
      )}
    </Card>
  );
}

function ChartTable({ id, title, labels, series, format, isSeen }: Omit<ChartCardProps, 'isWaiting'> & { id: string; isSeen: boolean }) {
  const { t } = useTranslation('dashboard');
  const hidden = { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' } as const;
  return (
    <Box id={id} sx={isSeen ? { height: 300, overflow: 'auto' } : hidden} {...(isSeen && { tabIndex: 0 })}>
      <Box
        component="table"
        aria-label={title}
        sx={{
          width: '100%',
          borderCollapse: 'collapse',
          fontSize: 12.5,
          fontVariantNumeric: 'tabular-nums',
          '& th, & td': {
            py: 0.5,
            px: 1,
            textAlign: 'right',
            borderBottom: 1,
            borderColor: 'divider',
            fontWeight: 400,
            whiteSpace: 'nowrap',
          },
          '& th:first-of-type': { textAlign: 'left' },
          '& thead th': { color: 'text.secondary' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('time')}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, place) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ label: name, values }) => (
                <td key={name}>{format(values[place] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Box>
    </Box>
  );
}
