import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { type ImportView, importBody } from '@tollgate/contracts/api/import';
import { useTranslation } from 'react-i18next';
import { SelectInput, TextInput } from '../../shared/form/fields.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { formatCount, formatDateTime } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { ErrorNotice, messageOf } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useGetImportQuery, useStartImportMutation, useUndoImportMutation } from './api.ts';

const everyMs = 2000;
const form = importBody.omit({ apply: true, name: true });

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
      </Box>
    </PageFrame>
  );
}

function SourceCard({ isBusy }: { isBusy: boolean }) {
  const { t } = useTranslation('imports');
  const confirm = useConfirm();
  const [start, { isLoading }] = useStartImportMutation();
  const { control, handleSubmit } = useZodForm(form, { from: '', logs: 'none' });
  const begin = (apply: boolean) =>
    handleSubmit(async (values) => {
      if (apply && !(await confirm({ title: t('import'), text: t('importText'), action: t('import') }))) return;
      const { error } = await start({ ...values, apply });
      if (error) toast('error', messageOf(error));
    });
  return (
    <Card title={t('source')} lead={t('sourceLead')}>
      <Box component="form" onSubmit={begin(false)} sx={{ display: 'grid', gap: 2, maxWidth: 720 }}>
        <TextInput control={control} name="from" label={t('from')} hint={t('fromHint')} autoComplete="off" />
        <SelectInput
          control={control}
          name="logs"
          label={t('logs')}
          options={(['none', 'months', 'all'] as const).map((value) => ({ value, label: t(`logChoices.${value}`) }))}
        />
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          <Button type="submit" variant="outlined" disabled={isBusy} loading={isLoading}>
            {t('check')}
          </Button>
          <Button variant="contained" onClick={begin(true)} disabled={isBusy || isLoading}>
            {t('import')}
          </Button>
        </Box>
      </Box>
    </Card>
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
  const takeBack = async (name: string): Promise<void> => {
    if (!(await confirm({ title: t('undoTitle', { name }), text: t('undoText'), action: t('undo') }))) return;
    const { error } = await undo({ name, apply: true });
    if (error) toast('error', messageOf(error));
  };
  return (
    <Card title={t('imported')} lead={t('importedLead')}>
      {imports.map(({ name, product, started_time }) => (
        <Box key={name} sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
          <Typography variant="body2" sx={{ flex: 1 }}>
            {name} ({product}), {formatDateTime(started_time)}
          </Typography>
          <Button size="small" onClick={() => takeBack(name)} loading={isLoading}>
            {t('undo')}
          </Button>
        </Box>
      ))}
    </Card>
  );
}
