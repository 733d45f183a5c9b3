import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { exportBody } from '@tollgate/contracts/api/import';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../shared/call.ts';
import { SwitchInput, TextInput } from '../../shared/form/fields.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { saveExport } from '../../shared/save-export.ts';
import { Card } from '../../shared/ui/card.tsx';

/** Everything of this installation as one file for another one. */
export function ExportCard() {
  const { t } = useTranslation('imports');
  const [isBusy, setBusy] = useState(false);
  const { control, handleSubmit } = useZodForm(exportBody, { passphrase: '', logs: false });
  const save = handleSubmit(async (body) => {
    setBusy(true);
    await saveExport(call('POST /api/export', { body }));
    setBusy(false);
  });
  return (
    <Card title={t('export')} lead={t('exportLead')}>
      <Box component="form" onSubmit={save} sx={{ display: 'grid', gap: 2, maxWidth: 720 }}>
        <TextInput
          control={control}
          name="passphrase"
          label={t('passphrase')}
          hint={t('passphraseHint')}
          type="password"
          autoComplete="new-password"
        />
        <SwitchInput control={control} name="logs" label={t('exportLogs')} />
        <Button type="submit" variant="outlined" loading={isBusy} sx={{ justifySelf: 'start' }}>
          {t('exportAction')}
        </Button>
      </Box>
    </Card>
  );
}
