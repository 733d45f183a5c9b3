import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router';
import { colorOf } from './colors.ts';
import type { Series } from './series.ts';

interface RankingProps {
  series: Series[];
  total: number;
  format: (value: number) => string;
  /** The log of one of them; undefined where the log cannot be asked for it. */
  logOf: (series: Series) => string | undefined;
}

/** Who had how much of it, the most first; it is the legend of the chart as well. */
export function Ranking({ series, total, format, logOf }: RankingProps) {
  const { t } = useTranslation('dashboard');
  return (
    <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'flex', flexDirection: 'column', gap: 1.25, fontSize: 13 }}>
      {series.map((each, place) => {
        const share = total > 0 ? (each.total / total) * 100 : 0;
        const log = logOf(each);
        return (
          <li key={each.key}>
            <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1 }}>
              <Box
                component="span"
                aria-hidden
                sx={{ width: 9, height: 9, borderRadius: '2px', flex: 'none', bgcolor: colorOf(place, each.key) }}
              />
              <Box component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                {log ? (
                  <Link component={RouterLink} to={log} color="inherit" title={t('toLog')}>
                    {each.label}
                  </Link>
                ) : (
                  each.label
                )}
              </Box>
              <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
                {format(each.total)}
              </Box>
              <Box component="span" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums', width: 44, textAlign: 'right' }}>
                {share.toFixed(share < 10 ? 1 : 0)}%
              </Box>
            </Box>
            <Box aria-hidden sx={{ mt: 0.5, ml: 2, height: 3, borderRadius: 2, bgcolor: 'divider', overflow: 'hidden' }}>
              <Box sx={{ width: `${Math.max(0, Math.min(100, share))}%`, height: '100%', bgcolor: colorOf(place, each.key) }} />
            </Box>
          </li>
        );
      })}
    </Box>
  );
}
