import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy.tsx';

/** A text to copy, under its label. */
export function Snippet({ label, text }: { label: string; text: string }) {
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
