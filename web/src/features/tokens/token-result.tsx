import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { TokenView } from '@tollgate/contracts/api/token';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../../shared/site.ts';
import { Snippet } from '../../shared/ui/snippet.tsx';
import { UseWith } from './use-with.tsx';

/** How tokens are used: their keys, the base URL, and a first call to paste into a terminal. */
export function TokenResult({ tokens, onClose }: { tokens: TokenView[]; onClose: () => void }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const { data: status } = useGetStatusQuery();
  const origin = withoutEndSlashes(status?.server_address || location.origin);
  const baseUrl = `${origin}/v1`;
  const keys = tokens.map((token) => `sk-${token.key}`);
  const call = `curl ${baseUrl}/models -H "Authorization: Bearer ${keys[0]}"`;
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="result-title" transitionDuration={80}>
      <DialogTitle id="result-title">{t('useTitle', { name: tokens[0]?.name })}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Snippet label={t('columns.key')} text={keys.join('\n')} />
        <Snippet label={t('baseUrl')} text={baseUrl} />
        <Snippet label={t('firstCall')} text={call} />
        <UseWith origin={origin} token={tokens[0] as TokenView} />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
