import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { priorityRange, weightRange } from '@tollgate/contracts/constants';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatSeconds } from '../../shared/format.ts';
import type { CellValue, Column } from '../../shared/ui/column.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useUpdateTagMutation } from './api.ts';
import { NumberCell } from './number-cell.tsx';
import { isGroup, summaryOf, type TagGroup, type TagRow, type TagSummary } from './tag-rows.ts';

/** The columns of channels, with what a tag's channels come to in the row of the tag. */
export function useTagColumns(ofChannels: Column<ChannelView>[]): Column<TagRow>[] {
  const { t } = useTranslation('channels');
  return useMemo(() => {
    const named = ({ tag }: TagGroup): string => (tag === '' ? t('filters.untagged') : t('tagNamed', { tag }));
    const summaries: Record<
      string,
      { value: (group: TagGroup, summary: TagSummary) => CellValue; cell?: (group: TagGroup, summary: TagSummary) => ReactNode }
    > = {
      name: {
        value: (group) => named(group),
        cell: (group) => (
          <>
            {named(group)} <Faint>{`(${group.members.length})`}</Faint>
          </>
        ),
      },
      status: { value: ({ members }, { enabled }) => t('enabledOf', { enabled, all: members.length }) },
      group: { value: (_group, { groups }) => groups.join(', ') },
      models: { value: (_group, { models }) => models.length },
      response: {
        value: (_group, { responseTime }) => (responseTime > 0 ? formatSeconds(responseTime / 1000) : ''),
        cell: (_group, { responseTime }) => (responseTime > 0 ? formatSeconds(responseTime / 1000) : <Faint>{t('notTested')}</Faint>),
      },
      used: { value: (_group, { usedQuota }) => usedQuota, cell: (_group, { usedQuota }) => <QuotaText quota={usedQuota} /> },
      priority: {
        value: (_group, { priority }) => priority,
        cell: (group, { priority }) => (
          <TagNumber group={group} field="priority" value={priority} label={t('priorityOf', { name: named(group) })} />
        ),
      },
      weight: {
        value: (_group, { weight }) => weight,
        cell: (group, { weight }) => (
          <TagNumber group={group} field="weight" value={weight} label={t('weightOf', { name: named(group) })} />
        ),
      },
    };
    return ofChannels.map((column) => {
      const summary = summaries[column.id];
      const valueIn = (row: TagRow): CellValue => (isGroup(row) ? summary?.value(row, summaryOf(row)) : column.value(row.channel));
      const cellIn = (row: TagRow): ReactNode => {
        if (!isGroup(row)) return column.cell(row.channel);
        return summary?.cell ? summary.cell(row, summaryOf(row)) : String(summary?.value(row, summaryOf(row)) ?? '');
      };
      const { exported, ...plain } = column;
      const amountIn = (row: TagRow): number | '' => {
        if (!isGroup(row)) return exported?.of(row.channel) ?? '';
        return column.id === 'used' ? summaryOf(row).usedQuota : '';
      };
      return { ...plain, ...(exported && { exported: { ...exported, of: amountIn } }), sortable: false, value: valueIn, cell: cellIn };
    });
  }, [ofChannels, t]);
}

/** Priority or weight of all channels of a tag, where they are alike; where they differ, the editor of the tag makes them so. */
function TagNumber({
  group,
  field,
  value,
  label,
}: {
  group: TagGroup;
  field: 'priority' | 'weight';
  value: number | undefined;
  label: string;
}) {
  const { t } = useTranslation(['channels', 'shared']);
  const [update] = useUpdateTagMutation();
  const undo = useUndo();
  if (group.tag === '') return null;
  if (value === undefined) return <Faint>{t('differ')}</Faint>;
  const save = async (next: number): Promise<void> => {
    const { data, error } = await update({ tag: group.tag, [field]: next });
    if (!error) toast('info', t('tagEditor.saved'), undo(data));
    else toast('error', messageOf(error), { label: t('shared:retry'), run: () => save(next) });
  };
  return <NumberCell value={value} range={field === 'priority' ? priorityRange : weightRange} label={label} onSave={save} />;
}
