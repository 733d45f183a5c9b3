import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';

/** An amount of a budget in its unit. */
export function useAmountText(): (unit: 'quota' | 'requests' | 'tokens', amount: number) => string {
  const { t } = useTranslation('budgets');
  const money = useMoneyDisplay();
  return useCallback(
    (unit, amount) => (unit === 'quota' ? formatQuota(amount, money) : t(`amounts.${unit}`, { amount: formatCount(amount) })),
    [t, money],
  );
}
