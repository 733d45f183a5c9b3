import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { formatSeconds } from '../../shared/format.ts';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { useListTestsQuery } from './api.ts';

const shown = 8;

/** What the last tests of a channel came to; read again when one has ended. */
export function TestHistory({ channelId, testedAt }: { channelId: number; testedAt: number }) {
  const { t } = useTranslation('channels');
  const { data: tests = [] } = useListTestsQuery({ id: channelId, testedAt }, { refetchOnMountOrArgChange: true });
  if (tests.length === 0) return null;
  return (
    <Box>
      <Typography variant="caption" color="textSecondary">
        {t('test.history')}
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: 12.5 }}>
        {tests.slice(0, shown).map(({ time, model, response_time, error }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tests of one second are alike in all that is shown
          <Box component="li" key={`${time} ${index}`} sx={{ display: 'flex', gap: 1, overflowWrap: 'anywhere' }}>
            <TimeText seconds={time} />
            <span>{model}</span>
            <Box component="span" sx={{ color: error ? 'error.main' : 'text.secondary' }}>
              {error || formatSeconds(response_time / 1000)}
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
