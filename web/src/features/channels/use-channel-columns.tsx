import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ChannelView } from '@tollgate/contracts/api/channel';
import { channelStatus } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatChannelBalance, formatDateTime, formatSeconds, namesIn, responseTimeTone, type Tone } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.tsx';
import { usePatchChannelMutation } from './api.ts';
import { typeName } from './channel-type.ts';
import { NumberCell } from './number-cell.tsx';
import { useChannelTest } from './use-channel-test.ts';

export function useChannelColumns(): Column<ChannelView>[] {
  const { t, i18n } = useTranslation('channels');
  const _money = useMoneyDisplay();
  return useMemo(
    () => [
      { id: 'id', header: t('columns.id'), align: 'right', cell: (channel) => <Faint>{String(channel.id)}</Faint> },
      { id: 'name', header: t('columns.name'), primary: true, clip: true, cell: (channel) => channel.name },
      { id: 'type', header: t('columns.type'), cell: (channel) => typeName(channel.type, i18n.language) },
      { id: 'status', header: t('columns.status'), cell: (channel) => <ChannelStatus channel={channel} /> },
      { id: 'group', header: t('columns.group'), clip: true, cell: (channel) => sortedGroups(channel.group).join(', ') },
      { id: 'models', header: t('columns.models'), align: 'right', cell: (channel) => <ModelCount names={namesIn(channel.models)} /> },
      { id: 'response', header: t('columns.response'), align: 'right', cell: (channel) => <ResponseTime channel={channel} /> },
      {
        id: 'used',
        header: t('columns.used'),
        align: 'right',
        cell: (channel) => <QuotaText quota={channel.used_quota} />,
      },
      {
        id: 'balance',
        header: t('columns.balance'),
        align: 'right',
        hidden: true,
        cell: (channel) => formatChannelBalance(channel.balance),
      },
      {
        id: 'priority',
        header: t('columns.priority'),
        align: 'right',
        cell: (channel) => <PatchCell channel={channel} field="priority" min={-999} label={t('priorityOf', { name: channel.name })} />,
      },
      {
        id: 'weight',
        header: t('columns.weight'),
        align: 'right',
        cell: (channel) => <PatchCell channel={channel} field="weight" min={0} label={t('weightOf', { name: channel.name })} />,
      },
      { id: 'tag', header: t('columns.tag'), hidden: true, cell: (channel) => channel.tag ?? '' },
      { id: 'created', header: t('columns.created'), hidden: true, cell: (channel) => <TimeText seconds={channel.created_time} /> },
    ],
    [t, i18n.language],
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

function ChannelStatus({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation('channels');
  const words: Record<number, string> = {
    [channelStatus.enabled]: t('status.enabled'),
    [channelStatus.disabled]: t('status.disabled'),
    [channelStatus.autoDisabled]: t('status.autoDisabled'),
  };
  return (
    <StatusTag tone={tones[channel.status] ?? 'neutral'} label={words[channel.status] ?? t('status.unknown')} hint={useReason(channel)} />
  );
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
    <Tooltip title={names.length > 30 ? `${shown} …` : shown}>
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
  const tone = responseTimeTone(channel.response_time);
  return (
    <Tooltip title={channel.test_time > 0 ? t('testedAt', { time: formatDateTime(channel.test_time) }) : ''}>
      <Box component="span" sx={tone === 'success' ? {} : { color: `${tone}.main`, fontWeight: 550 }}>
        {formatSeconds(channel.response_time / 1000)}
      </Box>
    </Tooltip>
  );
}

function PatchCell({ channel, field, min, label }: { channel: ChannelView; field: 'priority' | 'weight'; min: number; label: string }) {
  const { t } = useTranslation('shared');
  const [patch] = usePatchChannelMutation();
  const save = async (value: number): Promise<void> => {
    const { error } = await patch({ id: channel.id, [field]: value });
    if (error) toast('error', messageOf(error), { label: t('retry'), run: () => save(value) });
  };
  return <NumberCell value={channel[field]} min={min} label={label} onSave={save} />;
}
