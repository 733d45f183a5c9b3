import type { ChannelHealth } from '@tollgate/contracts/api/channel-stats';
import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelStatus, priorityRange, weightRange } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatChannelBalance, formatDateTime, formatSeconds, namesIn, responseTimeTone, type Tone } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { GroupTags } from '../../shared/ui/group-tag.tsx';
import { focusableHint, hint } from '../../shared/ui/hint.tsx';
import { quotaAs } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { usePatchChannelMutation } from './api.ts';
import { errorRate, FailingTag, HealthCell, isFailing } from './health-cells.tsx';
import { NumberCell } from './number-cell.tsx';
import { useIsTested } from './use-channel-test.ts';
import { useChannelTypes } from './use-channel-types.ts';

type Translate = TFunction<['channels', 'shared']>;

/** `health`: what is known of the listed channels' last 24 hours. */
export function useChannelColumns(health?: ReadonlyMap<number, ChannelHealth>): Column<ChannelView>[] {
  const { t } = useTranslation(['channels', 'shared']);
  const { nameOf } = useChannelTypes();
  const money = useMoneyDisplay();
  const save = useSaveNumber();
  return useMemo(
    () => [
      {
        id: 'id',
        header: t('columns.id'),
        align: 'right',
        sortable: true,
        value: (channel) => channel.id,
        cell: (channel) => <Faint>{String(channel.id)}</Faint>,
      },
      {
        id: 'name',
        header: t('columns.name'),
        primary: true,
        clip: true,
        value: (channel) => channel.name,
        cell: (channel) => (
          <Link to={`/channel-health/${channel.id}`} className="link-button">
            {channel.name}
          </Link>
        ),
      },
      {
        id: 'type',
        phone: 'bare',
        header: t('columns.type'),
        clip: true,
        value: (channel) => nameOf(channel.type),
        cell: (channel) => nameOf(channel.type),
      },
      {
        id: 'status',
        phone: 'bare',
        header: t('columns.status'),
        value: (channel) => t(statusKey(channel.status)),
        cell: (channel) => {
          const known = health?.get(channel.id);
          if (known !== undefined && channel.status === channelStatus.enabled && isFailing(known))
            return <FailingTag health={known} t={t} />;
          return <StatusTag tone={tones[channel.status] ?? 'neutral'} label={t(statusKey(channel.status))} hint={reasonOf(channel, t)} />;
        },
      },
      {
        id: 'health',
        phone: 'bare',
        header: t('columns.health'),
        align: 'right',
        value: (channel) => {
          const known = health?.get(channel.id);
          return known === undefined ? '' : errorRate(known);
        },
        cell: (channel) => <HealthCell health={health?.get(channel.id)} t={t} />,
      },
      {
        id: 'group',
        header: t('columns.group'),
        needs: 'middle',
        clip: true,
        value: (channel) => sortedGroups(channel.group).join(', '),
        cell: (channel) => GroupTags({ names: sortedGroups(channel.group) }),
      },
      {
        id: 'models',
        header: t('columns.models'),
        align: 'right',
        value: (channel) => channel.models,
        cell: (channel) => modelCount(namesIn(channel.models), t),
      },
      {
        id: 'response',
        phone: 'bare',
        header: t('columns.response'),
        align: 'right',
        value: (channel) => (channel.test_error === '' ? channel.response_time / 1000 : t('testFailed')),
        cell: (channel) => <ResponseTime channel={channel} t={t} />,
      },
      {
        id: 'used',
        phone: 'bare',
        header: t('columns.usedAndLeft'),
        align: 'right',
        value: (channel) => channel.used_quota,
        exported: { as: 'quota', of: (channel) => channel.used_quota },
        cell: (channel) => (
          <>
            {quotaAs(money, channel.used_quota)} <span className="faint">/</span> {balanceOf(channel, t)}
          </>
        ),
      },
      {
        id: 'balance',
        header: t('columns.balance'),
        align: 'right',
        hidden: true,
        value: (channel) => channel.balance,
        cell: (channel) => balanceOf(channel, t),
      },
      {
        id: 'priority',
        header: t('columns.priority'),
        needs: 'middle',
        align: 'right',
        value: (channel) => channel.priority,
        cell: (channel) => (
          <NumberCell
            value={channel.priority}
            range={priorityRange}
            label={t('priorityOf', { name: channel.name })}
            onSave={(value) => void save(channel.id, 'priority', value)}
          />
        ),
      },
      {
        id: 'weight',
        header: t('columns.weight'),
        needs: 'middle',
        align: 'right',
        value: (channel) => channel.weight,
        cell: (channel) => (
          <NumberCell
            value={channel.weight}
            range={weightRange}
            raisesToMin
            label={t('weightOf', { name: channel.name })}
            onSave={(value) => void save(channel.id, 'weight', value)}
          />
        ),
      },
      { id: 'tag', header: t('columns.tag'), hidden: true, value: (channel) => channel.tag, cell: (channel) => channel.tag ?? '' },
      {
        id: 'created',
        header: t('columns.created'),
        hidden: true,
        value: (channel) => formatDateTime(channel.created_time),
        exported: { as: 'time', of: (channel) => channel.created_time },
        cell: (channel) => <TimeText seconds={channel.created_time} />,
      },
    ],
    [t, nameOf, money, save, health],
  );
}

/** `default` first, the others by name. */
function sortedGroups(list: string): string[] {
  return namesIn(list).sort((a, b) => Number(b === 'default') - Number(a === 'default') || a.localeCompare(b));
}

const tones: Record<number, Tone> = {
  [channelStatus.enabled]: 'success',
  [channelStatus.disabled]: 'error',
  [channelStatus.autoDisabled]: 'warning',
};

function statusKey(status: number) {
  if (status === channelStatus.enabled) return 'status.enabled';
  if (status === channelStatus.disabled) return 'status.disabled';
  return status === channelStatus.autoDisabled ? 'status.autoDisabled' : 'status.unknown';
}

/** Why a rule changed the status, and when. */
function reasonOf(channel: ChannelView, t: Translate): string | undefined {
  if (!channel.other_info || channel.status !== channelStatus.autoDisabled) return undefined;
  try {
    const { status_reason: reason = '', status_time: time = 0 } = JSON.parse(channel.other_info) as {
      status_reason?: string;
      status_time?: number;
    };
    return t('statusReason', { reason, time: formatDateTime(time) });
  } catch {
    return channel.other_info;
  }
}

function modelCount(names: string[], t: Translate): ReactNode {
  const shown = names.slice(0, 30).join(', ');
  return <span {...focusableHint(names.length > 30 ? `${shown} …` : shown)}>{t('modelCount', { count: names.length })}</span>;
}

function ResponseTime({ channel, t }: { channel: ChannelView; t: Translate }) {
  const isTested = useIsTested(channel.id);
  if (isTested) return <Faint>{t('test.running')}</Faint>;
  if (channel.response_time <= 0) return <Faint>{t('notTested')}</Faint>;
  const time = formatDateTime(channel.test_time);
  if (channel.test_error !== '')
    return <StatusTag tone="error" label={t('testFailed')} hint={t('testFailedWhy', { reason: channel.test_error, time })} />;
  const tone = responseTimeTone(channel.response_time);
  return (
    <span className="toned" data-tone={tone} {...hint(channel.test_time > 0 ? t('testedAt', { time }) : '')}>
      {formatSeconds(channel.response_time / 1000)}
    </span>
  );
}

/** What the provider's account still has, by the last question. */
function balanceOf({ balance, balance_updated_time: asked }: ChannelView, t: Translate): ReactNode {
  if (asked <= 0) return <span className="faint">—</span>;
  return <span {...hint(t('balance.asOf', { time: formatDateTime(asked) }))}>{formatChannelBalance(balance)}</span>;
}

/** Saves one number of a channel, from wherever it stands. */
function useSaveNumber() {
  const { t } = useTranslation('shared');
  const [patch] = usePatchChannelMutation();
  return useCallback(
    async function save(id: number, field: 'priority' | 'weight', value: number): Promise<void> {
      const { error } = await patch({ id, [field]: value });
      if (error) toast('error', messageOf(error), { label: t('retry'), run: () => save(id, field, value) });
    },
    [patch, t],
  );
}
