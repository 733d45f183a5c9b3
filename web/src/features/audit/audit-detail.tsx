import Box from '@mui/material/Box';
import type { AuditView } from '@tollgate/contracts/api/audit';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../../shared/ui/faint.tsx';

/** As wide as the row that it opens below, whatever its texts are; the cell styles of the table around it do not reach in. */
const frame = {
  m: 2,
  width: 'calc(100% - 32px)',
  maxWidth: 1100,
  fontSize: 13,
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '&& :is(th, td)': {
    position: 'static',
    height: 'auto',
    p: '4px 16px 4px 0',
    border: 0,
    background: 'none',
    color: 'text.primary',
    fontSize: 13,
    fontWeight: 400,
    verticalAlign: 'top',
    overflowWrap: 'anywhere',
    whiteSpace: 'pre-wrap',
  },
  '&& th': { fontWeight: 500 },
  '&& thead th': { color: 'text.secondary' },
  '&& th:first-of-type': { width: '22%' },
} as const;

/** What a change was from and to, field by field. */
export function AuditDetail({ row }: { row: AuditView }) {
  const { t } = useTranslation('audit');
  return (
    <Box component="table" sx={frame}>
      <thead>
        <tr>
          {[t('field'), t('before'), t('after')].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changesIn(row).map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{field || t('whole')}</th>
            {[before, after].map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: there are two of them, and they never move
              <td key={index}>{text === undefined ? <Nothing /> : text}</td>
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
