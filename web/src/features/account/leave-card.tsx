import Button from '@mui/material/Button';
import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { sessionEnded, useHasRole } from '../../shared/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useLeaveMutation } from './api.ts';

/** Closing the account, for good: its name has to be typed. */
export function LeaveCard({ username }: { username: string }) {
  const { t } = useTranslation('account');
  const dispatch = useDispatch();
  const confirm = useConfirm();
  const [leave, { isLoading }] = useLeaveMutation();
  const go = async (): Promise<void> => {
    if (!(await confirm({ title: t('leave.title'), text: t('leave.question'), action: t('leave.go'), dangerous: true, typed: username })))
      return;
    const { error } = await leave();
    if (error) return toast('error', messageOf(error));
    toast('success', t('leave.done'));
    dispatch(sessionEnded('left'));
  };
  if (useHasRole(role.root)) return null;
  return (
    <Card title={t('leave.title')} lead={t('leave.lead')}>
      <div>
        <Button variant="outlined" color="error" onClick={go} loading={isLoading}>
          {t('leave.go')}
        </Button>
      </div>
    </Card>
  );
}
