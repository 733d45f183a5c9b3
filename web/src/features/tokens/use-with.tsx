import MenuItem from '@mui/material/MenuItem';
import Stack from '@mui/material/Stack';
import TextField from '@mui/material/TextField';
import { agentSetups, filledSetup } from '@tollgate/contracts/agent-setups';
import type { TokenView } from '@tollgate/contracts/api/token';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Snippet } from '../../shared/ui/snippet.tsx';

/** Settings to paste into a coding agent, with the gateway's address and this token in them. */
export function UseWith({ origin, token }: { origin: string; token: TokenView }) {
  const { t } = useTranslation('tokens');
  const [id, setId] = useState(agentSetups[0]?.id ?? '');
  const [model, setModel] = useState(token.model_limits.split(',')[0] || 'claude-sonnet-4-5');
  const setup = agentSetups.find((one) => one.id === id);
  const filled = (text: string) => filledSetup(text, { origin, key: `sk-${token.key}`, model });
  return (
    <Stack spacing={2}>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <TextField select size="small" fullWidth label={t('useWith.agent')} value={id} onChange={(event) => setId(event.target.value)}>
          {agentSetups.map((one) => (
            <MenuItem key={one.id} value={one.id}>
              {one.name}
            </MenuItem>
          ))}
        </TextField>
        <TextField size="small" fullWidth label={t('useWith.model')} value={model} onChange={(event) => setModel(event.target.value)} />
      </Stack>
      {setup?.steps.map(({ file, text }) => (
        <Snippet key={file ?? 'shell'} label={file ?? t('useWith.shell')} text={filled(text)} />
      ))}
      {setup?.fields?.map(([field, value]) => (
        <Snippet key={field} label={field} text={filled(value)} />
      ))}
    </Stack>
  );
}
