import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { RowMenu } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import {
  useDeleteDisabledChannelsMutation,
  useRepairChannelsMutation,
  useTestAllChannelsMutation,
  useUpdateAllBalancesMutation,
} from './api.ts';

/** What concerns all channels at once, the frequent part as buttons where there is room; and what needs a selection, while there is none. */
export function MaintenanceMenu({ isAnySelected, onRemoved }: { isAnySelected: boolean; onRemoved: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const [removeDisabled] = useDeleteDisabledChannelsMutation();
  const undo = useUndo();
  const [repair] = useRepairChannelsMutation();
  const [testAll] = useTestAllChannelsMutation();
  const [updateBalances] = useUpdateAllBalancesMutation();
  const tell = ({ error }: { error?: unknown }, text: string): void => (error ? toast('error', messageOf(error)) : toast('success', text));

  const askAndTest = async (): Promise<void> => {
    if (!(await confirm({ title: t('test.allTitle'), text: t('test.allText'), action: t('test.allStart') }))) return;
    tell(await testAll(), t('test.allStarted'));
  };
  const askAndUpdateBalances = async (): Promise<void> => {
    if (!(await confirm({ title: t('balance.allTitle'), text: t('balance.allText'), action: t('balance.update') }))) return;
    toast('info', t('balance.allStarted'));
    const answer = await updateBalances();
    tell(answer, t('balance.allUpdated', { count: answer.data ?? 0 }));
  };
  const askAndRemove = async (): Promise<void> => {
    if (!(await confirm({ title: t('deleteDisabledTitle'), text: t('deleteDisabledText'), action: t('shared:delete'), dangerous: true })))
      return;
    const { data, error } = await removeDisabled();
    if (error) return toast('error', messageOf(error));
    toast('success', t('deleted', { count: data.data ?? 0 }), undo(data));
    onRemoved();
  };
  const askAndRepair = async (): Promise<void> => {
    if (!(await confirm({ title: t('repairTitle'), text: t('repairText'), action: t('repair') }))) return;
    tell(await repair(), t('repaired'));
  };

  const selectFirst = [
    { key: 'tag', label: t('setTag'), run: () => toast('warning', t('tagFirst')), divided: true },
    { key: 'delete', label: t('deleteSelected'), run: () => toast('warning', t('deleteFirst')) },
  ];

  const frequent = [
    { key: 'test', label: t('test.all'), run: askAndTest },
    { key: 'balances', label: t('balance.all'), run: askAndUpdateBalances },
  ];
  return (
    <>
      {frequent.map(({ key, label, run }) => (
        <Button key={key} variant="outlined" color="inherit" onClick={run} sx={{ display: { xs: 'none', lg: 'inline-flex' } }}>
          {label}
        </Button>
      ))}
      <RowMenu label={t('maintenance')}>
        {(menu) =>
          menu([
            ...frequent,
            { key: 'repair', label: t('repair'), run: askAndRepair, divided: true },
            ...(isAnySelected ? [] : selectFirst),
            { key: 'deleteDisabled', label: t('deleteDisabled'), run: askAndRemove, dangerous: true, divided: true },
          ])
        }
      </RowMenu>
    </>
  );
}
