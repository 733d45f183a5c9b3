import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { importBody } from '@tollgate/contracts/api/import';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberInput, SelectInput, TextInput } from '../../shared/form/fields.tsx';
import { FileButton } from '../../shared/form/file-button.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useStartImportMutation } from './api.ts';
import { uploadSource } from './upload-source.ts';

const form = importBody.omit({ apply: true, name: true });

/** Where to import from and what of the log, with a check before the import itself. */
export function SourceCard({ isBusy }: { isBusy: boolean }) {
  const { t } = useTranslation('imports');
  const confirm = useConfirm();
  const [start, { isLoading }] = useStartImportMutation();
  const [isUploading, setUploading] = useState(false);
  const { control, handleSubmit, setValue } = useZodForm(form, { from: '', secret: '', grant: 0, logs: 'none' });
  const upload = async (file: File) => {
    setUploading(true);
    const from = await uploadSource(file);
    setUploading(false);
    if (from !== undefined) setValue('from', from, { shouldValidate: true });
  };
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
        <FileButton
          label={t('upload')}
          accept=".db,.sqlite,.sqlite3"
          onFile={(file) => void upload(file)}
          variant="outlined"
          loading={isUploading}
          sx={{ justifySelf: 'start' }}
        >
          {t('upload')}
        </FileButton>
        <TextInput control={control} name="secret" label={t('secret')} hint={t('secretHint')} type="password" autoComplete="off" />
        <NumberInput control={control} name="grant" label={t('grant')} hint={t('grantHint')} />
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
