import i18next from 'i18next';
import type { ReactNode } from 'react';
import { formatCount, formatQuota, type MoneyDisplay } from '../format.ts';
import { useMoneyDisplay } from '../site.ts';
import { hint } from './hint.tsx';

/** An amount as the site shows money; its exact quota on hover. */
export function QuotaText({ quota }: { quota: number }) {
  return quotaAs(useMoneyDisplay(), quota);
}

/** The same, for rows, which have many amounts and need not ask for each how the site shows them. */
export function quotaAs(money: MoneyDisplay, quota: number): ReactNode {
  return <span {...hint(i18next.t('shared:quota', { amount: formatCount(quota) }))}>{formatQuota(quota, money)}</span>;
}
