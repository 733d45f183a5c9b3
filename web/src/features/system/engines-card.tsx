import type { SystemView } from '@tollgate/contracts/api/system';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { PlainTable } from './plain-table.tsx';

type Engines = SystemView['engines'];

/** What the services stand on. */
export function EnginesCard({ engines }: Pick<SystemView, 'engines'>) {
  const { t } = useTranslation('system');
  const names = Object.keys(engines) as (keyof Engines)[];
  const rows = names.map((name) => ({
    key: name,
    cells: [
      t(`engineNames.${name}`),
      engines[name] < 0 ? (
        <StatusTag key="down" tone="error" label={t(name === 'bus' ? 'busUnknown' : 'down')} />
      ) : (
        <StatusTag key="up" tone="success" label={t('up')} />
      ),
      engines[name] > 0 ? `${engines[name]} ms` : '—',
    ],
  }));
  return (
    <Card title={t('engines')}>
      <PlainTable label={t('engines')} heads={[t('columns.engine'), t('columns.state'), t('columns.roundTrip')]} rows={rows} />
    </Card>
  );
}
