import ReplayRounded from '@mui/icons-material/ReplayRounded';
import type { JobView } from '@tollgate/contracts/api/job';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useRunJobMutation } from './api.ts';

export function RunAgain({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  const [run] = useRunJobMutation();
  const runAgain = async (): Promise<void> => {
    const { error } = await run(job.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('begun', { name: job.name }));
  };
  return (
    <RowButton
      label={t('runOne', { name: job.name })}
      hint={t('run')}
      icon={<ReplayRounded fontSize="inherit" />}
      run={() => void runAgain()}
    />
  );
}
