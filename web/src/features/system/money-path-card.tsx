import Box from '@mui/material/Box';
import type { SystemView } from '@tollgate/contracts/api/system';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';

/** Where the calls are between their first byte and their charge. */
export function MoneyPathCard({ system }: { system: SystemView }) {
  const { t } = useTranslation('system');
  const dead = Object.values(system.dead_letters.waiting).reduce((sum, count) => sum + count, 0);
  return (
    <Card title={t('moneyPath')} lead={t('moneyPathLead')}>
      <Box component="dl" sx={{ m: 0, display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fit, minmax(104px, 1fr))' }}>
        <Figure name={t('openCalls')} note={t('openCallsNote')}>
          {formatCount(system.open_calls)}
        </Figure>
        <Figure name={t('notBilled')} note={t('notBilledNote')}>
          {formatCount(system.answered_not_billed)}
        </Figure>
        <Figure name={t('lag')} note={t('lagNote')}>
          {system.lag < 0 ? t('unknown') : formatCount(system.lag)}
        </Figure>
        <Figure name={t('deadLetters')} note={t('deadLettersNote')} isBad={dead > 0}>
          {formatCount(dead)}
        </Figure>
      </Box>
    </Card>
  );
}

function Figure({ name, note, isBad = false, children }: { name: string; note: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div>
      <Box component="dt" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {name}
      </Box>
      <Box
        component="dd"
        sx={{ m: 0, fontSize: 18, fontWeight: 600, fontVariantNumeric: 'tabular-nums', color: isBad ? 'error.main' : undefined }}
      >
        {children}
        <Box sx={{ fontSize: 12, fontWeight: 400, color: 'text.secondary' }}>{note}</Box>
      </Box>
    </div>
  );
}
