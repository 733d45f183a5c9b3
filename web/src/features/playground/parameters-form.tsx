import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import Slider from '@mui/material/Slider';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import type { UserGroupsView } from '@tollgate/contracts/api/pricing';
import { memo, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFigure } from '../../shared/format.ts';
import { GroupOption } from '../../shared/ui/group-tag.tsx';
import { areTools } from './request-of.ts';
import { type Parameters, usualTemperature } from './settings.ts';

interface ParametersFormProps {
  parameters: Parameters;
  /** One's own group first. */
  groups: [string, UserGroupsView[string]][];
  onChange: (change: Partial<Parameters>) => void;
}

/** What goes with every question. What is off or empty is left to the model: some refuse what they do not know. */
export const ParametersForm = memo(function ParametersForm({ parameters, groups, onChange }: ParametersFormProps) {
  const { t } = useTranslation('playground');
  const { group, temperature, maxTokens, system, tools } = parameters;
  const sliderLabel = useId();
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      <TextField
        select
        label={t('group')}
        value={groups.some(([name]) => name === group) ? group : ''}
        onChange={(event) => onChange({ group: event.target.value })}
      >
        {groups.length === 0 && <MenuItem value="">{t('ownGroup')}</MenuItem>}
        {groups.map(([name, { desc, ratio }]) => (
          <MenuItem key={name} value={name} sx={{ whiteSpace: 'normal' }}>
            <GroupOption name={name} desc={desc} ratio={ratio} />
          </MenuItem>
        ))}
      </TextField>
      <Box>
        <FormControlLabel
          sx={{ ml: 0, gap: 1 }}
          slotProps={{ typography: { variant: 'body2' } }}
          control={
            <Switch
              checked={temperature !== null}
              onChange={(event) => onChange({ temperature: event.target.checked ? usualTemperature : null })}
            />
          }
          label={
            <>
              <span id={sliderLabel}>{t('temperature')}</span>
              {temperature !== null && ` · ${formatFigure(temperature)}`}
            </>
          }
        />
        {temperature !== null && (
          <Box sx={{ px: 1 }}>
            <Slider
              aria-labelledby={sliderLabel}
              min={0.1}
              max={1}
              step={0.1}
              value={temperature}
              // Below its first step stands what nobody has moved yet.
              getAriaValueText={() => formatFigure(temperature)}
              onChange={(_event, next) => onChange({ temperature: next as number })}
            />
          </Box>
        )}
      </Box>
      <TextField
        label={t('maxTokens')}
        helperText={t('maxTokensHint')}
        value={maxTokens === 0 ? '' : String(maxTokens)}
        onChange={(event) => onChange({ maxTokens: Math.min(1_000_000, Number(event.target.value.replace(/\D/g, '')) || 0) })}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
      <TextField
        label={t('system')}
        multiline
        minRows={3}
        maxRows={10}
        value={system}
        onChange={(event) => onChange({ system: event.target.value })}
      />
      <TextField
        label={t('tools')}
        multiline
        minRows={2}
        maxRows={10}
        value={tools}
        error={!areTools(tools)}
        helperText={areTools(tools) ? t('toolsHint') : t('toolsWrong')}
        onChange={(event) => onChange({ tools: event.target.value })}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 } } }}
      />
    </Box>
  );
});
