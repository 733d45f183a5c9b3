import Box from '@mui/material/Box';
import { type LimitName, limitNames } from '@tollgate/contracts/limit-names';
import type { Control, FieldValues, Path } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput } from './fields.tsx';
import { limitLabels } from './limits-in.ts';

/** What a token or a channel may do at most: one field for each limit. */
export function LimitsInput<Values extends FieldValues>({ control }: { control: Control<Values> }) {
  const { t } = useTranslation('shared');
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: { sm: '1fr 1fr' }, gap: 2 }}>
      {limitNames.map((name) => (
        <NumberInput
          key={name}
          control={control}
          name={name as Path<Values>}
          label={t(limitLabels[name])}
          hint={name === 'concurrent' ? t('limits.hint') : undefined}
        />
      ))}
    </Box>
  );
}

export function isLimit(name: string): name is LimitName {
  return (limitNames as readonly string[]).includes(name);
}
