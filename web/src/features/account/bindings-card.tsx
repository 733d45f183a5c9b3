import Button from '@mui/material/Button';
import type { StatusView } from '@tollgate/contracts/api/status';
import type { Bound } from '@tollgate/contracts/api/third-party';
import type { UserView } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { askTelegram } from '../../shared/telegram.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useBeginBindingMutation, useBindTelegramMutation, useUnbindMutation } from './api.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Line } from './line.tsx';
import { useConfirmed } from './proof.tsx';

/** An address, and accounts elsewhere that lead in here. */
export function BindingsCard({ self, status }: { self: UserView; status: StatusView }) {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const confirmed = useConfirmed();
  const [begin] = useBeginBindingMutation();
  const [bindTelegram] = useBindTelegramMutation();
  const [unbind] = useUnbindMutation();
  const [dialog, setDialog] = useState<'email' | 'wechat'>();

  const lead = async (provider: 'github' | 'linuxdo' | 'oidc'): Promise<void> => {
    const { data, error } = await confirmed(async () => begin(provider));
    if (data) location.assign(data.url);
    else if (error) toast('error', messageOf(error));
  };
  const askAtTelegram = async (): Promise<void> => {
    try {
      const signed = await askTelegram(status.telegram_bot_id);
      if (!signed) return;
      const { data, error } = await confirmed(async () => bindTelegram(signed));
      if (error) throw error;
      if (data !== undefined) toast('success', t('bindings.bound', { name: 'Telegram' }));
    } catch (error) {
      toast('error', messageOf(error));
    }
  };
  const giveUp = async (key: Bound, name: string): Promise<void> => {
    if (!(await confirm({ title: t('bindings.unbindTitle', { name }), action: t('bindings.unbind'), dangerous: true }))) return;
    const { error } = await unbind(key);
    if (error) toast('error', messageOf(error));
    else toast('success', t('bindings.unbound'));
  };

  const all: { key: Bound; name: string; value: string; isOn: boolean; bind: () => unknown }[] = [
    { key: 'email', name: t('bindings.email'), value: self.email, isOn: true, bind: () => setDialog('email') },
    { key: 'wechat', name: t('bindings.wechat'), value: self.wechat_id, isOn: status.wechat_login, bind: () => setDialog('wechat') },
    { key: 'github', name: 'GitHub', value: self.github_id, isOn: status.github_oauth, bind: () => lead('github') },
    { key: 'telegram', name: 'Telegram', value: self.telegram_id, isOn: status.telegram_oauth, bind: askAtTelegram },
    { key: 'linuxdo', name: 'LinuxDO', value: self.linux_do_id, isOn: status.linuxdo_oauth, bind: () => lead('linuxdo') },
    { key: 'oidc', name: status.oidc_name, value: self.oidc_id, isOn: status.oidc_oauth, bind: () => lead('oidc') },
  ];
  return (
    <Card title={t('bindings.title')}>
      {all.map(({ key, name, value, isOn, bind }) => (
        <Line
          key={key}
          label={name}
          value={value || t(isOn ? 'bindings.none' : 'bindings.off')}
          action={
            <>
              {isOn && (value === '' || key === 'email' || key === 'wechat') && (
                <Button onClick={bind} aria-label={`${t(value === '' ? 'bindings.bind' : 'bindings.change')}: ${name}`}>
                  {t(value === '' ? 'bindings.bind' : 'bindings.change')}
                </Button>
              )}
              {value !== '' && (
                <Button color="inherit" onClick={() => giveUp(key, name)} aria-label={`${t('bindings.unbind')}: ${name}`}>
                  {t('bindings.unbind')}
                </Button>
              )}
            </>
          }
        />
      ))}
      {dialog && <CodeDialog kind={dialog} image={status.wechat_qrcode} onClose={() => setDialog(undefined)} />}
    </Card>
  );
}
