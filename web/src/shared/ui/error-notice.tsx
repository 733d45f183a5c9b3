import ErrorOutlineRounded from '@mui/icons-material/ErrorOutlineRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import type { ApiError } from '../api.ts';
import { PartMissing } from '../parts.ts';

/** What a failed call says to people: the server's words as sent, else ours for its kind. */
export function messageOf(error: unknown): string {
  const t = i18next.getFixedT(null, 'shared');
  if (error instanceof PartMissing) return t(error.isUpgraded ? 'error.upgraded' : 'error.partMissing');
  // Calls that were under way when the session ended are broken off.
  if (isBrokenOff(error)) return t('error.unauthorized');
  if (!isApiError(error)) return error instanceof Error && error.message ? error.message : t('error.unknown');
  const { kind, message, status } = error;
  if (kind === 'refused') return message || t('error.unknown');
  if (kind === 'too-many') return t('error.tooMany');
  if (kind === 'server') return t('error.server');
  if (kind === 'offline') return t('error.offline');
  if (kind === 'timeout') return t('error.timeout');
  if (kind === 'unauthorized') return message || t('error.unauthorized');
  if (kind === 'demo') return t('error.demo');
  if (kind === 'unreadable') return t('error.unreadable');
  return message ? t('error.statusMessage', { message }) : t('error.status', { status });
}

export function isApiError(error: unknown): error is ApiError {
  return typeof error === 'object' && error !== null && 'kind' in error && 'status' in error;
}

function isBrokenOff(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}

/** Stands where something could not be shown: what went wrong, the request id for support, and a way to try again. */
export function ErrorNotice({ error, onRetry, busy = false }: { error: unknown; onRetry?: () => void; busy?: boolean }) {
  const { t } = useTranslation('shared');
  const requestId = isApiError(error) ? error.requestId : undefined;
  return (
    <Box role="alert" sx={{ display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 1, p: 4, textAlign: 'center' }}>
      <ErrorOutlineRounded color="error" />
      <Typography variant="h2" component="p">
        {messageOf(error)}
      </Typography>
      {requestId && (
        <Typography variant="caption" color="textSecondary">
          {t('error.requestId', { id: requestId })}
        </Typography>
      )}
      {onRetry && (
        <Button variant="outlined" onClick={onRetry} loading={busy}>
          {t('retry')}
        </Button>
      )}
    </Box>
  );
}

/** One line above what could not be read again and may be out of date. */
export function RefreshFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <Box
      role="alert"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 1.5, py: 0.5, fontSize: 13, borderBottom: 1, borderColor: 'divider' }}
    >
      <ErrorOutlineRounded color="error" sx={{ fontSize: 18 }} />
      <span>{t('error.refresh', { reason: messageOf(error) })}</span>
      <Button onClick={onRetry}>{t('retry')}</Button>
    </Box>
  );
}
