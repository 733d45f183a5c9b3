import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { ImportView } from '@tollgate/contracts/api/import';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { ErrorNotice, messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useGetImportQuery, useUndoImportMutation } from './api.ts';

const SourceCard = lazyPart(async () => (await import('./source-card.tsx')).SourceCard);

const ExportCard = lazyPart(async () => (await import('./export-card.tsx')).ExportCard);

const everyMs = 2000;

/** Takes over the database of another gateway: first a report of what would come, then the import, then its undo until the first call. */
export function ImportPage() {
  const { t } = useTranslation('imports');
  const { data, error, refetch, isFetching } = useGetImportQuery(undefined, { pollingInterval: everyMs, skipPollingIfUnfocused: true });
  return (
    <PageFrame title={t('title')}>
      {error && !data && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)', pb: 1.5 }}>
        <SourceCard isBusy={data?.state === 'waiting' || data?.state === 'running'} />
        {data && data.state !== 'none' && <LastCard last={data} />}
        {data && data.imports.length > 0 && <UndoCard imports={data.imports} />}
        <ExportCard />
      </Box>
    </PageFrame>
  );
}

function LastCard({ last }: { last: ImportView }) {
  const { t } = useTranslation('imports');
  const isBusy = last.state === 'waiting' || last.state === 'running';
  const made = Object.entries(last.made).filter(([, count]) => count > 0);
  const kind = last.action === 'undo' ? 'undo' : 'import';
  return (
    <Card title={t(`last.${kind}.${last.apply ? 'applied' : 'dry'}`)} lead={`${last.from} ${formatDateTime(last.started_time)}`.trim()}>
      {isBusy && <LinearProgress aria-label={t('running')} />}
      {isBusy && (
        <Typography variant="body2" role="status">
          {made.map(([name, count]) => `${name} ${formatCount(count)}`).join(' · ') || t('running')}
        </Typography>
      )}
      {last.state === 'failed' && <Alert severity="error">{last.error}</Alert>}
      {last.report !== '' && (
        <Box
          component="pre"
          tabIndex={0}
          aria-label={t('report')}
          sx={{ m: 0, p: 1.5, fontSize: 12, overflow: 'auto', maxHeight: 480, bgcolor: 'action.hover', borderRadius: 1 }}
        >
          {last.report}
        </Box>
      )}
    </Card>
  );
}

function UndoCard({ imports }: Pick<ImportView, 'imports'>) {
  const { t } = useTranslation('imports');
  const confirm = useConfirm();
  const [undo, { isLoading }] = useUndoImportMutation();
  const takeBack = async (name: string, apply: boolean): Promise<void> => {
    if (apply && !(await confirm({ title: t('undoTitle', { name }), text: t('undoText'), action: t('undo') }))) return;
    const { error } = await undo({ name, apply });
    if (error) toast('error', messageOf(error));
  };
  return (
    <Card title={t('imported')} lead={t('importedLead')}>
      {imports.map(({ name, product, started_time }) => (
        <Box key={name} sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
          <Typography variant="body2" sx={{ flex: 1 }}>
            {name} ({product}), {formatDateTime(started_time)}
          </Typography>
          <Button size="small" onClick={() => takeBack(name, false)} loading={isLoading}>
            {t('undoCheck')}
          </Button>
          <Button size="small" onClick={() => takeBack(name, true)} loading={isLoading}>
            {t('undo')}
          </Button>
        </Box>
      ))}
    </Card>
  );
}
