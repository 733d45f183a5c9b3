import type { DrawingView } from '@tollgate/contracts/api/task';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../shared/ui/column.ts';
import { Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { PictureButton } from './picture-button.tsx';
import { submissionOf } from './progress.ts';
import { columnsFor, taskColumns } from './task-columns.tsx';

export function useDrawingColumns(isAdmin: boolean): Column<DrawingView>[] {
  const { t } = useTranslation('tasks');
  return useMemo(() => {
    const common = taskColumns<DrawingView>(t, 1000, ({ mj_id }) => mj_id);
    const text = (id: 'prompt' | 'promptEn', of: (drawing: DrawingView) => string) => ({
      id,
      header: t(`columns.${id}`),
      clip: 'short' as const,
      needs: 'middle' as const,
      hidden: id === 'promptEn',
      value: of,
      cell: (drawing: DrawingView) => of(drawing) || <Nothing />,
    });
    return columnsFor<DrawingView>(
      [
        common.submitted,
        common.duration,
        common.user,
        common.channel,
        common.action,
        common.taskId,
        {
          id: 'code',
          needs: 'wide',
          header: t('columns.code'),
          admin: true,
          value: ({ code }) => code,
          cell: ({ code }) => <StatusTag tone={submissionOf(code).tone} label={t(submissionOf(code).key, { code })} />,
        },
        common.status,
        common.progress,
        {
          id: 'picture',
          header: t('columns.picture'),
          value: ({ image_url }) => image_url,
          cell: (drawing) => <PictureButton drawing={drawing} />,
        },
        text('prompt', ({ prompt }) => prompt),
        text('promptEn', ({ prompt_en }) => prompt_en),
        common.reason,
      ],
      isAdmin,
    );
  }, [t, isAdmin]);
}
