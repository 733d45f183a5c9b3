import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDisableTwoFactorMutation, useRenewCodesMutation, useSetUpTwoFactorMutation, useTwoFactorStatusQuery } from './api.ts';
import { useProof } from './proof.tsx';

// With the drawing of QR codes, which nobody else needs.
const SetupDialog = lazyPart(async () => (await import('./setup-dialog.tsx')).SetupDialog);

/** A code of an app besides the password. */
export function TwoFactorCard() {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const prove = useProof();
  const { data: status } = useTwoFactorStatusQuery();
  const [setUp, { isLoading }] = useSetUpTwoFactorMutation();
  const [disable] = useDisableTwoFactorMutation();
  const [renew] = useRenewCodesMutation();
  const [offered, setOffered] = useState<{ secret: string; qr_code_data: string }>();
  const [codes, setCodes] = useState<string[]>();

  const begin = async (): Promise<void> => {
    const { data, error } = await prove(async (proof) => setUp(proof));
    if (data) setOffered(data);
    else if (error) toast('error', messageOf(error));
  };
  const end = async (): Promise<void> => {
    if (!(await confirm({ title: t('twoFactor.offTitle'), text: t('twoFactor.offText'), action: t('twoFactor.off'), dangerous: true })))
      return;
    const { data, error } = await prove(async (proof) => disable(proof));
    if (error) toast('error', messageOf(error));
    else if (data !== undefined) {
      setCodes(undefined);
      toast('success', t('twoFactor.isOff'));
    }
  };
  const renewCodes = async (): Promise<void> => {
    const { data, error } = await prove(async (proof) => renew(proof));
    if (data) setCodes(data.backup_codes);
    else if (error) toast('error', messageOf(error));
  };
  return (
    <Card title={t('twoFactor.title')} lead={t('twoFactor.lead')}>
      {status?.enabled && <Alert severity="success">{t('twoFactor.isOn', { count: status.backup_codes_remaining })}</Alert>}
      {codes && <RecoveryCodes codes={codes} />}
      <div>
        {status && !status.enabled && (
          <Button variant="outlined" onClick={begin} loading={isLoading}>
            {t('twoFactor.on')}
          </Button>
        )}
        {status?.enabled && (
          <>
            <Button variant="outlined" onClick={renewCodes} sx={{ mr: 1 }}>
              {t('twoFactor.renew')}
            </Button>
            <Button color="error" onClick={end}>
              {t('twoFactor.off')}
            </Button>
          </>
        )}
      </div>
      {offered && (
        <SetupDialog
          offered={offered}
          onDone={(made: string[]) => {
            setOffered(undefined);
            setCodes(made);
            toast('success', t('twoFactor.done'));
          }}
          onClose={() => setOffered(undefined)}
        />
      )}
    </Card>
  );
}

/** Shown once, to be written down. */
function RecoveryCodes({ codes }: { codes: string[] }) {
  const { t } = useTranslation('account');
  return (
    <Alert severity="warning" action={<CopyButton text={codes.join('\n')} label={t('twoFactor.copyCodes')} />}>
      {t('twoFactor.codes')}
      <Box
        component="ul"
        sx={{
          listStyle: 'none',
          p: 0,
          m: 0,
          mt: 1,
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fill, minmax(110px, 1fr))',
          fontFamily: 'monospace',
        }}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </Box>
    </Alert>
  );
}
