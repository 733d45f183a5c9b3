import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../ui/copy.tsx';

/** Code as it is, which scrolls by itself when its lines are long, and can be copied. */
export function CodeBlock({ code, language = '' }: { code: string; language?: string }) {
  const { t } = useTranslation('shared');
  return (
    <Box sx={{ position: 'relative', my: 1.25, border: 1, borderColor: 'divider', borderRadius: 1.5, bgcolor: 'background.default' }}>
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          justifyContent: 'space-between',
          minHeight: 32,
          pl: 1.5,
          pr: 0.5,
          fontSize: 12,
          color: 'text.secondary',
        }}
      >
        <span>{language}</span>
        <CopyButton text={code} label={t('copy.copy')} />
      </Box>
      <Box
        component="pre"
        tabIndex={0}
        sx={{
          m: 0,
          px: 1.5,
          pb: 1.25,
          overflow: 'auto',
          maxHeight: 520,
          fontSize: 12.5,
          lineHeight: 1.6,
          fontFamily: 'ui-monospace, Menlo, Consolas, monospace',
        }}
      >
        <code>{code}</code>
      </Box>
    </Box>
  );
}
