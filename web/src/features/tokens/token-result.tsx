import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { TokenView } from '@tollgate/contracts/api/token';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../../shared/site.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';

/** How tokens are used: their keys, the base URL, and a first call to paste into a terminal. */
export function TokenResult({ tokens, onClose }: { tokens: TokenView[]; onClose: () => void }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const { data: status } = useGetStatusQuery();
  const baseUrl = `${withoutEndSlashes(status?.server_address || location.origin)}/v1`;
  const keys = tokens.map((token) => `sk-${token.key}`);
  const call = `curl ${baseUrl}/models -H "Authorization: Bearer ${keys[0]}"`;
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="result-title" transitionDuration={80}>
      <DialogTitle id="result-title">{t('useTitle', { name: tokens[0]?.name })}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Snippet label={t('columns.key')} text={keys.join('\n')} />
        <Snippet label={t('baseUrl')} text={baseUrl} />
        <Snippet label={t('firstCall')} text={call} />
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button variant="contained" autoFocus onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Snippet({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation('shared');
  return (
    <div>
      <Typography variant="h3" component="p" sx={{ mb: 0.5 }}>
        {label}
      </Typography>
      <Box
        sx={{
          display: 'flex',
          alignItems: 'flex-start',
          gap: 1,
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          bgcolor: 'background.default',
          px: 1.25,
          py: 0.75,
        }}
      >
        <Box
          component="code"
          tabIndex={0}
          sx={{ flex: 1, fontSize: 12.5, whiteSpace: 'pre-wrap', wordBreak: 'break-all', maxHeight: 160, overflow: 'auto' }}
        >
          {text}
        </Box>
        <CopyButton text={text} label={`${t('copy.copy')}: ${label}`} />
      </Box>
    </div>
  );
}
