import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { formatDollars } from '../../shared/format.ts';
import { costOf, type Load, priceIn } from '../../shared/prices.ts';
import { SideDrawer, wideDrawer } from '../../shared/ui/side-drawer.tsx';
import type { Model } from './use-models.ts';

interface CalculatorProps {
  models: Model[];
  all: Model[];
  ratios: Record<string, number>;
  group: string;
  onModels: (names: string[]) => void;
  onClose: () => void;
}

const most = 4;
const fields = ['inputTokens', 'outputTokens', 'callsPerDay'] as const;

/** What calls of a size would cost with up to four models, in each group one may use. */
export function Calculator({ models, all, ratios, group, onModels, onClose }: CalculatorProps) {
  const { t } = useTranslation('pricing');
  const [texts, setTexts] = useState<Record<keyof Load, string>>({ inputTokens: '1000', outputTokens: '500', callsPerDay: '100' });
  const load: Load = {
    inputTokens: amount(texts.inputTokens),
    outputTokens: amount(texts.outputTokens),
    callsPerDay: amount(texts.callsPerDay),
  };
  const names = Object.keys(ratios).sort((a, b) => Number(b === group) - Number(a === group));
  return (
    <SideDrawer title={t('calculator')} width={wideDrawer} onClose={onClose}>
      <Box sx={{ p: 2.5, display: 'flex', flexDirection: 'column', gap: 2, overflow: 'auto' }}>
        <Autocomplete
          {...useChoiceTexts()}
          multiple
          options={all}
          value={models}
          getOptionLabel={({ model_name }) => model_name}
          isOptionEqualToValue={(a, b) => a.id === b.id}
          getOptionDisabled={() => models.length >= most}
          onChange={(_event, next) => next.length > 0 && onModels(next.slice(0, most).map(({ id }) => id))}
          renderInput={(params) => <TextField {...params} label={t('compareModels', { most })} />}
        />
        <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: '1fr', sm: 'repeat(3, 1fr)' } }}>
          {fields.map((field) => (
            <TextField
              key={field}
              label={t(`load.${field}`)}
              value={texts[field]}
              error={!isAmount(texts[field])}
              helperText={isAmount(texts[field]) ? undefined : t('load.number')}
              onChange={(event) => setTexts({ ...texts, [field]: event.target.value })}
              slotProps={{ htmlInput: { inputMode: 'numeric' } }}
            />
          ))}
        </Box>
        {models.map((model) => (
          <Box key={model.id} component="section" aria-label={model.model_name}>
            <Typography variant="h3" component="h3" sx={{ overflowWrap: 'anywhere', mb: 0.5 }}>
              {model.model_name}
            </Typography>
            <Costs head={[t('filters.group'), t('cost.call'), t('cost.day'), t('cost.month')]}>
              {names
                .filter((name) => model.enable_groups.includes(name))
                .map((name) => {
                  const cost = costOf(priceIn(model, ratios[name] ?? 1), load);
                  return (
                    <tr key={name} data-own={name === group}>
                      <th scope="row">{name}</th>
                      <td>{formatDollars(cost.call)}</td>
                      <td>{formatDollars(cost.day)}</td>
                      <td>{formatDollars(cost.month)}</td>
                    </tr>
                  );
                })}
            </Costs>
          </Box>
        ))}
        <Typography variant="caption" color="textSecondary">
          {t('cost.note')}
        </Typography>
      </Box>
    </SideDrawer>
  );
}

function Costs({ head, children }: { head: string[]; children: ReactNode }) {
  return (
    <Box
      component="table"
      sx={{
        width: '100%',
        borderCollapse: 'collapse',
        fontSize: 13,
        fontVariantNumeric: 'tabular-nums',
        '& th, & td': { borderBottom: 1, borderColor: 'divider', py: 0.75, px: 1, textAlign: 'right', fontWeight: 400 },
        '& th:first-of-type': { textAlign: 'left', pl: 0 },
        '& thead th': { color: 'text.secondary', fontSize: 12 },
        '& tr[data-own="true"] > *': { fontWeight: 600 },
      }}
    >
      <thead>
        <tr>
          {head.map((each) => (
            <th key={each} scope="col">
              {each}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </Box>
  );
}

function isAmount(text: string): boolean {
  return /^\d{1,12}$/.test(text.trim());
}

function amount(text: string): number {
  return isAmount(text) ? Number(text) : 0;
}
