import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import type { DecideProposalsBody, ProposalView } from '@tollgate/contracts/api/catalog';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDecideProposalsMutation } from './api.ts';

/** Approves or rejects the selected proposals, prices also from a later time on. */
export function DecisionBar({ proposals, onDone }: { proposals: ProposalView[]; onDone: () => void }) {
  const { t } = useTranslation(['catalog', 'shared']);
  const [decide, { isLoading }] = useDecideProposalsMutation();
  const [isScheduling, setScheduling] = useState(false);
  const [at, setAt] = useState('');
  const canApprove = proposals.some(({ status }) => status === 'waiting' || status === 'scheduled');
  const canReject = proposals.some(({ status }) => status !== 'applied' && status !== 'rejected');
  const send = async (action: DecideProposalsBody['action'], effectiveTime?: number): Promise<void> => {
    const time = effectiveTime === undefined ? {} : { effective_time: effectiveTime };
    const { data, error } = await decide({ ids: proposals.map(({ id }) => id), action, ...time });
    if (error) return toast('error', messageOf(error));
    toast('success', t(action === 'approve' ? 'approved' : 'rejected', { count: data?.decided ?? 0 }));
    onDone();
  };
  const time = Math.floor(new Date(at).getTime() / 1000);
  return (
    <>
      <BulkBar
        count={proposals.length}
        onClear={onDone}
        actions={[
          { key: 'approve', label: t('approve'), disabled: !canApprove || isLoading, run: () => send('approve') },
          { key: 'schedule', label: t('approveFrom'), disabled: !canApprove || isLoading, run: () => setScheduling(true) },
          { key: 'reject', label: t('reject'), dangerous: true, disabled: !canReject || isLoading, run: () => send('reject') },
        ]}
      />
      {isScheduling && (
        <Dialog open onClose={() => setScheduling(false)} maxWidth="xs" fullWidth aria-labelledby="schedule-title" transitionDuration={80}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setScheduling(false);
              void send('approve', time);
            }}
          >
            <DialogTitle id="schedule-title">{t('approveFrom')}</DialogTitle>
            <DialogContent>
              <TextField
                autoFocus
                fullWidth
                margin="dense"
                type="datetime-local"
                label={t('effective')}
                helperText={t('effectiveHelp')}
                value={at}
                onChange={(event) => setAt(event.target.value)}
                slotProps={{ inputLabel: { shrink: true } }}
              />
            </DialogContent>
            <DialogActions sx={{ px: 3, pb: 2 }}>
              <Button color="inherit" onClick={() => setScheduling(false)}>
                {t('shared:cancel')}
              </Button>
              <Button type="submit" variant="contained" disabled={!Number.isFinite(time)}>
                {t('approve')}
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  );
}
