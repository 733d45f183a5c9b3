import type { TokenView } from '@tollgate/contracts/api/token';
import { tokenStatus } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import type { Bulk } from '../../shared/ui/use-bulk.ts';
import { useBulkStatus } from '../../shared/ui/use-bulk-status.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { type TokenFilters, useDeleteTokensMutation, usePatchTokensMutation } from './api.ts';

/** What can be done with several tokens at once; `tokens` are those that are selected one by one. */
export function TokenBulkBar({ bulk, tokens }: { bulk: Bulk<TokenFilters>; tokens: TokenView[] }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const confirm = useConfirm();
  const [patch] = usePatchTokensMutation();
  const [remove] = useDeleteTokensMutation();
  const undo = useUndo();

  const setStatus = useBulkStatus({
    bulk,
    patch,
    said: (status, count) => t(status === tokenStatus.enabled ? 'manyEnabled' : 'manyDisabled', { count }),
  });
  const copyAll = async (): Promise<void> => {
    if (await copyText(tokens.map((token) => `${token.name}    sk-${token.key}`).join('\n'))) toast('success', t('shared:copy.done'));
  };
  const removeAll = async (): Promise<void> => {
    const title = t('deleteManyTitle', { count: bulk.count });
    if (!(await confirm({ title, text: t('deleteText'), action: t('shared:delete'), dangerous: true }))) return;
    const { data, error } = await remove(bulk.rows);
    if (error) return toast('error', messageOf(error));
    toast('success', t('deletedMany', { count: data.data ?? 0 }), undo(data));
    bulk.clear();
  };

  return (
    <BulkBar
      count={bulk.count}
      onClear={bulk.clear}
      actions={[
        ...(bulk.takeAll ? [bulk.takeAll(t('selectMatching'))] : []),
        { key: 'copy', label: t('copySelected'), run: copyAll, disabled: bulk.count > tokens.length },
        { key: 'enable', label: t('shared:enable'), run: () => setStatus(tokenStatus.enabled) },
        { key: 'disable', label: t('shared:disable'), run: () => setStatus(tokenStatus.disabled) },
        { key: 'delete', label: t('shared:delete'), run: removeAll, dangerous: true },
      ]}
    />
  );
}
