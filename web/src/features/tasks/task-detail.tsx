import Box from '@mui/material/Box';
import type { DrawingView, TaskView } from '@tollgate/contracts/api/task';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { QuotaText } from '../../shared/ui/quota-text.tsx';
import { submissionOf } from './progress.ts';

/** A drawing's texts in full. */
export function DrawingDetail({ drawing }: { drawing: DrawingView }) {
  const { t } = useTranslation('tasks');
  return (
    <Facts
      facts={[
        [t('columns.taskId'), drawing.mj_id],
        [t('columns.code'), t(submissionOf(drawing.code).key, { code: drawing.code })],
        [t('columns.prompt'), drawing.prompt],
        [t('columns.promptEn'), drawing.prompt_en],
        [t('description'), drawing.description],
        [t('columns.reason'), drawing.fail_reason],
        [t('cost'), <Cost key="cost" task={drawing} />],
      ]}
    />
  );
}

/** The whole record of a piece of music, as callers get it. */
export function MusicDetail({ task }: { task: TaskView }) {
  const { t } = useTranslation('tasks');
  const record = JSON.stringify(task, null, 2);
  return (
    <Box sx={{ p: 2, maxWidth: 1000 }}>
      <Facts
        facts={[
          [t('columns.prompt'), task.properties.input],
          [t('columns.reason'), task.fail_reason],
          [t('cost'), <Cost key="cost" task={task} />],
        ]}
      />
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5, mt: 1.5, color: 'text.secondary', fontSize: 12.5 }}>
        {t('record')}
        <CopyButton text={record} label={t('copyRecord')} />
      </Box>
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={t('record')}
        sx={{ m: 0, mt: 0.5, p: 1.5, maxHeight: 320, overflow: 'auto', fontSize: 12, borderRadius: 1, bgcolor: 'action.hover' }}
      >
        {record}
      </Box>
    </Box>
  );
}

/** What a task cost, and what became of that when it failed. */
function Cost({ task: { quota, refund } }: { task: DrawingView | TaskView }) {
  const { t } = useTranslation('tasks');
  if (refund === 'none') return <>{t('refunds.none')}</>;
  return (
    <>
      <QuotaText quota={quota} />
      {refund !== '' && quota > 0 && t(`refunds.${refund}`)}
    </>
  );
}

function Facts({ facts }: { facts: [label: string, value: ReactNode][] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        p: 2,
        maxWidth: 1000,
        display: 'grid',
        gridTemplateColumns: 'minmax(96px, auto) 1fr',
        columnGap: 2,
        rowGap: 0.5,
        fontSize: 12.5,
        '& dt': { color: 'text.secondary' },
        '& dd': { m: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' },
      }}
    >
      {facts
        .filter(([, value]) => value !== '')
        .map(([label, value]) => (
          <Box key={label} sx={{ display: 'contents' }}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Box>
        ))}
    </Box>
  );
}
