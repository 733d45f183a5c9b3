import type { TokenView } from '@tollgate/contracts/api/token';
import { tokenStatus } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatQuota, maskedKey, type Tone } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { GroupTag } from '../../shared/ui/group-tag.tsx';
import { quotaAs } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export function useTokenColumns(): Column<TokenView>[] {
  const { t } = useTranslation(['tokens', 'shared']);
  const money = useMoneyDisplay();
  return useMemo(
    () => [
      { id: 'name', header: t('columns.name'), primary: true, clip: true, value: tokenName, cell: tokenName },
      {
        id: 'status',
        phone: 'bare',
        header: t('columns.status'),
        value: (token) => t(statusKey(token)),
        cell: (token) => (
          <StatusTag
            tone={tones[token.status] ?? 'neutral'}
            label={t(statusKey(token))}
            hint={token.model_limits_enabled ? token.model_limits.replaceAll(',', ', ') : undefined}
          />
        ),
      },
      {
        id: 'key',
        phone: 'bare', // to be copied with one press
        header: t('columns.key'),
        value: (token) => (token.key === '' ? t('keyNotStored') : `sk-${maskedKey(token.key)}`),
        cell: (token) =>
          token.key === '' ? (
            <Faint>{t('keyNotStored')}</Faint>
          ) : (
            <span className="secret">
              <code>sk-{maskedKey(token.key)}</code>
              <CopyButton text={`sk-${token.key}`} label={t('copyKey', { name: token.name })} />
            </span>
          ),
      },
      {
        id: 'group',
        header: t('columns.group'),
        value: (token) => token.group || t('ownGroup'),
        cell: (token) => (token.group ? GroupTag({ name: token.group }) : <Faint>{t('ownGroup')}</Faint>),
      },
      {
        id: 'used',
        phone: 'figure',
        header: t('columns.used'),
        align: 'right',
        value: (token) => token.used_quota,
        exported: { as: 'quota', of: (token) => token.used_quota },
        cell: (token) => quotaAs(money, token.used_quota),
      },
      {
        id: 'remaining',
        phone: 'figure',
        header: t('columns.remaining'),
        align: 'right',
        value: (token) => (token.unlimited_quota ? t('unlimited') : token.remain_quota),
        exported: { as: 'quota', of: (token) => (token.unlimited_quota ? '' : token.remain_quota) },
        cell: (token) =>
          token.unlimited_quota ? (
            <Faint>{t('unlimited')}</Faint>
          ) : (
            <Remaining token={token} text={formatQuota(token.remain_quota, money)} label={t('columns.remaining')} />
          ),
      },
      {
        id: 'expires',
        header: t('columns.expires'),
        value: (token) => (token.expired_time === -1 ? t('never') : formatDateTime(token.expired_time)),
        exported: { as: 'time', of: (token) => (token.expired_time === -1 ? '' : token.expired_time) },
        cell: (token) => (token.expired_time === -1 ? <Faint>{t('never')}</Faint> : <TimeText seconds={token.expired_time} />),
      },
      {
        id: 'created',
        header: t('columns.created'),
        needs: 'middle',
        value: (token) => formatDateTime(token.created_time),
        exported: { as: 'time', of: (token) => token.created_time },
        cell: (token) => <TimeText seconds={token.created_time} />,
      },
      {
        id: 'lastUsed',
        needs: 'wide',
        header: t('columns.lastUsed'),
        value: (token) => (isUsed(token) ? formatDateTime(token.accessed_time) : ''),
        exported: { as: 'time', of: (token) => (isUsed(token) ? token.accessed_time : '') },
        cell: (token) => (isUsed(token) ? <TimeText seconds={token.accessed_time} /> : <Faint>{t('unused')}</Faint>),
      },
    ],
    [t, money],
  );
}

const tones: Record<number, Tone> = {
  [tokenStatus.enabled]: 'success',
  [tokenStatus.disabled]: 'error',
  [tokenStatus.expired]: 'warning',
  [tokenStatus.exhausted]: 'warning',
};

function statusKey({ status, model_limits_enabled: isRestricted }: TokenView) {
  if (status === tokenStatus.enabled) return isRestricted ? 'status.restricted' : 'status.enabled';
  if (status === tokenStatus.disabled) return 'status.disabled';
  if (status === tokenStatus.expired) return 'status.expired';
  return status === tokenStatus.exhausted ? 'status.exhausted' : 'status.unknown';
}

function tokenName(token: TokenView): string {
  return token.name || `#${token.id}`;
}

/** What is left, over a bar of how much of it all that is. */
function Remaining({ token, text, label }: { token: TokenView; text: string; label: string }) {
  const whole = token.remain_quota + token.used_quota;
  const percent = whole > 0 ? Math.max(0, Math.min(100, (token.remain_quota / whole) * 100)) : 0;
  return (
    <span className="remaining">
      {text}
      <span
        className="share"
        data-tone={percent < 10 ? 'warning' : undefined}
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(percent)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${percent}%` }} />
      </span>
    </span>
  );
}

/** A token that was never used says the second in which it was made; one may be used within it. */
function isUsed({ accessed_time, created_time, used_quota }: TokenView): boolean {
  return accessed_time > created_time || used_quota > 0;
}
