import Box from '@mui/material/Box';
import type { AuditView } from '@tollgate/contracts/api/audit';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../../shared/ui/faint.tsx';
import { changesIn } from './changes.ts';

/** What a change was from and to, field by field. */
export function AuditDetail({ row }: { row: AuditView }) {
  const { t } = useTranslation('audit');
  const cell = { textAlign: 'left', verticalAlign: 'top', py: 0.5, pr: 3, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' } as const;
  return (
    <Box component="table" sx={{ m: 2, maxWidth: 1100, fontSize: 13, borderCollapse: 'collapse' }}>
      <thead>
        <tr>
          {[t('field'), t('before'), t('after')].map((title) => (
            <Box component="th" key={title} scope="col" sx={{ ...cell, color: 'text.secondary', fontWeight: 500 }}>
              {title}
            </Box>
          ))}
        </tr>
      </thead>
      <tbody>
        {changesIn(row).map(({ field, before, after }) => (
          <tr key={field}>
            <Box component="th" scope="row" sx={{ ...cell, fontWeight: 500 }}>
              {field || t('whole')}
            </Box>
            {[before, after].map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: there are two of them, and they never move
              <Box component="td" key={index} sx={cell}>
                {text === undefined ? <Nothing /> : text}
              </Box>
            ))}
          </tr>
        ))}
      </tbody>
    </Box>
  );
}
