import type { RedemptionView } from '@tollgate/contracts/api/redemption';
import { useTranslation } from 'react-i18next';
import { saveCsv } from '../../shared/save-file.ts';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { codesAsCsv } from './codes.ts';

/** What can be done with several codes at once. */
export function RedemptionBulkBar({ codes, onDone }: { codes: RedemptionView[]; onDone: () => void }) {
  const { t } = useTranslation(['redemption', 'shared']);
  const copyAll = async (): Promise<void> => {
    if (await copyText(codes.map(({ name, key }) => `${name}    ${key}`).join('\n'))) toast('success', t('shared:copy.done'));
  };
  return (
    <BulkBar
      count={codes.length}
      onClear={onDone}
      actions={[
        { key: 'copy', label: t('copySelected'), run: copyAll },
        { key: 'download', label: t('download'), run: () => saveCsv('redemption', codesAsCsv(codes)) },
      ]}
    />
  );
}
