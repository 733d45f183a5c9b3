import type { RedemptionView } from '@tollgate/contracts/api/redemption';
import { redemptionStatus } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, maskedKey, type Tone } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { Faint, Nothing, NumberedName } from '../../shared/ui/faint.tsx';
import { quotaAs } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

const tones: Record<number, Tone> = {
  [redemptionStatus.unused]: 'success',
  [redemptionStatus.disabled]: 'error',
  [redemptionStatus.used]: 'neutral',
};

function statusKey({ status }: RedemptionView) {
  if (status === redemptionStatus.unused) return 'status.unused';
  return status === redemptionStatus.disabled ? 'status.disabled' : 'status.used';
}

function redeemer({ used_user_id: id, used_username: name }: RedemptionView): string {
  return id === 0 ? '' : `${name} #${id}`;
}

export function useRedemptionColumns(): Column<RedemptionView>[] {
  const { t } = useTranslation('redemption');
  const money = useMoneyDisplay();
  return useMemo(
    () => [
      { id: 'id', header: t('columns.id'), value: (code) => code.id, cell: (code) => code.id },
      { id: 'name', header: t('columns.name'), primary: true, clip: true, value: (code) => code.name, cell: (code) => code.name },
      {
        id: 'key',
        header: t('columns.key'),
        value: (code) => code.key,
        cell: (code) => (
          <span className="secret">
            <code>{maskedKey(code.key)}</code>
            <CopyButton text={code.key} label={t('copyOne', { name: code.name })} />
          </span>
        ),
      },
      {
        id: 'status',
        phone: 'bare',
        header: t('columns.status'),
        value: (code) => t(statusKey(code)),
        cell: (code) => <StatusTag tone={tones[code.status] ?? 'neutral'} label={t(statusKey(code))} />,
      },
      {
        id: 'quota',
        phone: 'bare',
        header: t('columns.quota'),
        align: 'right',
        value: (code) => code.quota,
        exported: { as: 'quota', of: (code) => code.quota },
        cell: (code) => quotaAs(money, code.quota),
      },
      {
        id: 'created',
        header: t('columns.created'),
        value: (code) => formatDateTime(code.created_time),
        exported: { as: 'time', of: (code) => code.created_time },
        cell: (code) => <TimeText seconds={code.created_time} />,
      },
      {
        id: 'redeemer',
        header: t('columns.redeemer'),
        value: redeemer,
        cell: ({ used_user_id: id, used_username: name }) =>
          id === 0 ? <Faint>{t('nobody')}</Faint> : <NumberedName name={name} id={id} />,
      },
      {
        id: 'redeemed',
        header: t('columns.redeemed'),
        hidden: true,
        value: (code) => (code.redeemed_time > 0 ? formatDateTime(code.redeemed_time) : ''),
        exported: { as: 'time', of: (code) => code.redeemed_time || '' },
        cell: (code) => (code.redeemed_time > 0 ? <TimeText seconds={code.redeemed_time} /> : <Nothing />),
      },
    ],
    [t, money],
  );
}
