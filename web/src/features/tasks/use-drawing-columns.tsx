import ImageOutlined from '@mui/icons-material/ImageOutlined';
import Button from '@mui/material/Button';
import type { DrawingView } from '@tollgate/contracts/api/task';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../shared/ui/column.ts';
import { Nothing } from '../../shared/ui/faint.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { submissionOf } from './progress.ts';
import { columnsFor, taskColumns } from './task-columns.tsx';

const PictureDialog = lazyPart(async () => (await import('./picture-dialog.tsx')).PictureDialog);

/** Opens the picture of a drawing that has one. */
function PictureButton({ drawing }: { drawing: DrawingView }) {
  const { t } = useTranslation('tasks');
  const [open, setOpen] = useState(false);
  const address = addressOf(drawing.image_url);
  if (address === '') return <Nothing />;
  return (
    <>
      <Button
        size="small"
        startIcon={<ImageOutlined />}
        aria-label={t('viewPictureOf', { id: drawing.mj_id || drawing.id })}
        onClick={() => setOpen(true)}
        sx={{ whiteSpace: 'nowrap' }}
      >
        {t('viewPicture')}
      </Button>
      {open && <PictureDialog address={address} prompt={drawing.prompt} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A picture that this server forwards is read from where the page came from: its own name may be another one. Else only what is https or http. */
function addressOf(address: string): string {
  const url = URL.parse(address, location.origin);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || address === '') return '';
  return url.pathname.startsWith('/mj/image/') ? `${url.pathname}${url.search}` : url.href;
}

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
