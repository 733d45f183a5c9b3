import type { TokenView } from '@tollgate/contracts/api/token';
import { tokenStatus } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDeleteTokenMutation, useSetTokenStatusMutation } from './api.ts';

/** What can be done with several tokens at once. */
export function TokenBulkBar({ tokens, onDone }: { tokens: TokenView[]; onDone: () => void }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const confirm = useConfirm();
  const [setStatus] = useSetTokenStatusMutation();
  const [remove] = useDeleteTokenMutation();

  const each = async (deed: (token: TokenView) => Promise<{ error?: unknown }>): Promise<void> => {
    const failures = (await Promise.all(tokens.map(deed))).flatMap(({ error }) => (error ? [messageOf(error)] : []));
    for (const text of new Set(failures)) toast('error', text);
    onDone();
  };
  const copyAll = async (): Promise<void> => {
    if (await copyText(tokens.map((token) => `${token.name}    sk-${token.key}`).join('\n'))) toast('success', t('shared:copy.done'));
  };
  const removeAll = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('deleteManyTitle', { count: tokens.length }),
      text: t('deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (agreed) await each((token) => remove(token.id));
  };

  return (
    <BulkBar
      count={tokens.length}
      onClear={onDone}
      actions={[
        { key: 'copy', label: t('copySelected'), run: copyAll },
        { key: 'enable', label: t('shared:enable'), run: () => each(({ id }) => setStatus({ id, status: tokenStatus.enabled })) },
        { key: 'disable', label: t('shared:disable'), run: () => each(({ id }) => setStatus({ id, status: tokenStatus.disabled })) },
        { key: 'delete', label: t('shared:delete'), run: removeAll, dangerous: true },
      ]}
    />
  );
}
