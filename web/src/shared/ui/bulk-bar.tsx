import CloseRounded from '@mui/icons-material/CloseRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { useTranslation } from 'react-i18next';
import type { RowAction } from './row-menu.tsx';

/** Takes the place of the filters while rows are selected: how many, and what to do with them. */
export function BulkBar({ count, actions, onClear }: { count: number; actions: RowAction[]; onClear: () => void }) {
  const { t } = useTranslation('shared');
  return (
    <Box
      role="toolbar"
      aria-label={t('table.selected', { count })}
      sx={{ display: 'flex', alignItems: 'center', gap: 0.75, flexWrap: 'wrap', pb: 1, minHeight: 40 }}
    >
      <IconButton aria-label={t('table.deselect')} onClick={onClear}>
        <CloseRounded fontSize="small" />
      </IconButton>
      <Typography variant="body2" sx={{ fontWeight: 550, mr: 1 }}>
        {t('table.selected', { count })}
      </Typography>
      {actions.map(({ key, label, run, dangerous, disabled }) => (
        <Button
          key={key}
          variant="outlined"
          color={dangerous ? 'error' : 'inherit'}
          disabled={disabled ?? false}
          onClick={run}
          sx={{ minHeight: 30 }}
        >
          {label}
        </Button>
      ))}
    </Box>
  );
}
