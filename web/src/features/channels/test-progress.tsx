import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { api } from '../../shared/api.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useTestProgressQuery, useTestProgressState } from './api.ts';

const everyMs = 2000;

/** How far a test of all channels is, while one runs; the list is read again when it ends. */
export function TestProgress() {
  const { t } = useTranslation('channels');
  const dispatch = useDispatch();
  const lastEnd = useRef<number>(undefined);
  const isRunning = useTestProgressState(undefined).data?.running ?? false;
  const { data } = useTestProgressQuery(undefined, { pollingInterval: isRunning ? everyMs : 0, refetchOnMountOrArgChange: true });
  useEffect(() => {
    if (data?.running) lastEnd.current ??= 0;
    if (!data || data.running) return;
    // A short test may be over before it was ever seen to run: what counts is that one has ended since.
    if (lastEnd.current !== undefined && data.ended_time > lastEnd.current) {
      dispatch(api.util.invalidateTags(['Channel']));
      toast(data.failed > 0 ? 'warning' : 'success', t('test.allDone', { count: data.tested, failed: data.failed }));
    }
    lastEnd.current = data.ended_time;
  }, [data, dispatch, t]);
  if (!data?.running) return null;
  const hasBegun = data.ended_time === 0;
  const [tested, total, failed] = hasBegun ? [data.tested, data.total, data.failed] : [0, 0, 0];
  return (
    <Box role="status" sx={{ pb: 1 }}>
      <Typography variant="body2" color="textSecondary">
        {t('test.allProgress', { done: tested, total, failed })}
      </Typography>
      <LinearProgress variant="determinate" value={total > 0 ? (100 * tested) / total : 0} aria-label={t('test.all')} />
    </Box>
  );
}
