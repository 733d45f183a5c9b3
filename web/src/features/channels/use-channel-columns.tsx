import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ChannelView } from '@tollgate/contracts/api/channel';
import { channelStatus, priorityRange, weightRange } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatChannelBalance, formatDateTime, formatSeconds, namesIn, responseTimeTone, type Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { usePatchChannelMutation } from './api.ts';
import { NumberCell } from './number-cell.tsx';
import { useChannelTest } from './use-channel-test.ts';
import { useChannelTypes } from './use-channel-types.ts';

export function useChannelColumns(): Column<ChannelView>[] {
  const { t } = useTranslation('channels');
  const { nameOf } = useChannelTypes();
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
        cell: (channel) => channel.name,
      },
      {
        id: 'type',
        header: t('columns.type'),
        value: (channel) => nameOf(channel.type),
        cell: (channel) => nameOf(channel.type),
      },
      {
        id: 'status',
        header: t('columns.status'),
        value: (channel) => t(statusKey(channel.status)),
        cell: (channel) => <ChannelStatus channel={channel} />,
      },
      {
        id: 'group',
        header: t('columns.group'),
        clip: true,
        value: (channel) => sortedGroups(channel.group).join(', '),
        cell: (channel) => sortedGroups(channel.group).join(', '),
      },
      {
        id: 'models',
        header: t('columns.models'),
        align: 'right',
        value: (channel) => channel.models,
        cell: (channel) => <ModelCount names={namesIn(channel.models)} />,
      },
      {
        id: 'response',
        header: t('columns.response'),
        align: 'right',
        value: (channel) => (channel.test_error === '' ? channel.response_time / 1000 : t('testFailed')),
        cell: (channel) => <ResponseTime channel={channel} />,
      },
      {
        id: 'used',
        header: t('columns.used'),
        align: 'right',
        value: (channel) => channel.used_quota,
        cell: (channel) => <QuotaText quota={channel.used_quota} />,
      },
      {
        id: 'balance',
        header: t('columns.balance'),
        align: 'right',
        hidden: true,
        value: (channel) => channel.balance,
        cell: (channel) => formatChannelBalance(channel.balance),
      },
      {
        id: 'priority',
        header: t('columns.priority'),
        align: 'right',
        value: (channel) => channel.priority,
        cell: (channel) => <PatchCell channel={channel} field="priority" label={t('priorityOf', { name: channel.name })} />,
      },
      {
        id: 'weight',
        header: t('columns.weight'),
        align: 'right',
        value: (channel) => channel.weight,
        cell: (channel) => <PatchCell channel={channel} field="weight" label={t('weightOf', { name: channel.name })} />,
      },
      { id: 'tag', header: t('columns.tag'), hidden: true, value: (channel) => channel.tag, cell: (channel) => channel.tag ?? '' },
      {
        id: 'created',
        header: t('columns.created'),
        hidden: true,
        value: (channel) => formatDateTime(channel.created_time),
        cell: (channel) => <TimeText seconds={channel.created_time} />,
      },
    ],
    [t, nameOf],
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

function ChannelStatus({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  return <StatusTag tone={tones[channel.status] ?? 'neutral'} label={t(statusKey(channel.status))} hint={useReason(channel)} />;
}

/** Why a rule changed the status, and when. */
function useReason(channel: ChannelView): string | undefined {
  const { t } = useTranslation('channels');
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

function ModelCount({ names }: { names: string[] }) {
  const { t } = useTranslation('channels');
  const shown = names.slice(0, 30).join(', ');
  return (
    <Tooltip placement="left" title={names.length > 30 ? `${shown} …` : shown}>
      <Box component="span" tabIndex={0}>
        {t('modelCount', { count: names.length })}
      </Box>
    </Tooltip>
  );
}

function ResponseTime({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const [, isTesting] = useChannelTest(channel.id);
  if (isTesting) return <Faint>{t('test.running')}</Faint>;
  if (channel.response_time <= 0) return <Faint>{t('notTested')}</Faint>;
  const time = formatDateTime(channel.test_time);
  if (channel.test_error !== '')
    return <StatusTag tone="error" label={t('testFailed')} hint={t('testFailedWhy', { reason: channel.test_error, time })} />;
  const tone = responseTimeTone(channel.response_time);
  return (
    <Tooltip placement="left" title={channel.test_time > 0 ? t('testedAt', { time }) : ''}>
      <Box component="span" sx={tone === 'success' ? {} : { color: `${tone}.main`, fontWeight: 550 }}>
        {formatSeconds(channel.response_time / 1000)}
      </Box>
    </Tooltip>
  );
}

function PatchCell({ channel, field, label }: { channel: ChannelView; field: 'priority' | 'weight'; label: string }) {
  const { t } = useTranslation('shared');
  const [patch] = usePatchChannelMutation();
  const save = async (value: number): Promise<void> => {
    const { error } = await patch({ id: channel.id, [field]: value });
    if (error) toast('error', messageOf(error), { label: t('retry'), run: () => save(value) });
  };
  return <NumberCell value={channel[field]} range={field === 'priority' ? priorityRange : weightRange} label={label} onSave={save} />;
}
