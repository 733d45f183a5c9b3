import Box from '@mui/material/Box';
import type { AuditView } from '@tollgate/contracts/api/audit';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../../shared/ui/faint.tsx';

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

interface FieldChange {
  /** '': the whole of it, where it has no fields. */
  field: string;
  before: string | undefined;
  after: string | undefined;
}

/** A change field by field, out of the two JSON texts of a row; '' is nothing. */
function changesIn({ before, after }: { before: string; after: string }): FieldChange[] {
  const [old, now] = [valueIn(before), valueIn(after)];
  if (!isObject(old) && !isObject(now)) return [{ field: '', before: textOf(old), after: textOf(now) }];
  const [from, to] = [fieldsOf(old), fieldsOf(now)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.map((field) => ({ field, before: textOf(from[field]), after: textOf(to[field]) }));
}

function valueIn(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  return value === undefined ? {} : { '': value };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
