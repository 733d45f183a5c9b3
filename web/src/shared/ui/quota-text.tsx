import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { formatCount, formatQuota } from '../format.ts';
import { useMoneyDisplay } from '../site.ts';

/** An amount as the site shows money; its exact quota on hover. */
export function QuotaText({ quota }: { quota: number }) {
  const { t } = useTranslation('shared');
  return (
    <Tooltip title={t('quota', { amount: formatCount(quota) })} placement="left">
      <span>{formatQuota(quota, useMoneyDisplay())}</span>
    </Tooltip>
  );
}
