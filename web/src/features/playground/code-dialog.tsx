import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';
import { useTranslation } from 'react-i18next';
import { SnippetTabs } from '../../shared/content/snippet-tabs.tsx';
import { useGetStatusQuery } from '../../shared/site.ts';

/** The request of a conversation, to be made elsewhere with a token. */
export function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose: () => void }) {
  const { t } = useTranslation(['playground', 'shared']);
  const { data: status } = useGetStatusQuery();
  const baseUrl = `${withoutEndSlashes(status?.server_address || location.origin)}/v1`;
  // The group is the token's there.
  const { group: _group, ...rest } = body;
  return (
    <Dialog open onClose={onClose} maxWidth="md" fullWidth aria-labelledby="code-title" transitionDuration={80}>
      <DialogTitle id="code-title">{t('code')}</DialogTitle>
      <DialogContent>
        <SnippetTabs request={{ baseUrl, key: 'sk-…', body: rest }} label={t('code')} />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
