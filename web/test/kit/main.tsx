import { ThemeProvider } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import i18next from 'i18next';
import { StrictMode, useCallback, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { initReactI18next } from 'react-i18next';
import { theme } from '../../src/app/theme.ts';
import texts from '../../src/shared/i18n/en.json';
import type { List } from '../../src/shared/list.ts';
import type { Column } from '../../src/shared/ui/column.ts';
import { ResourceTable } from '../../src/shared/ui/resource-table.tsx';
import { RowMenu } from '../../src/shared/ui/row-menu.tsx';
import { StatusTag } from '../../src/shared/ui/status-tag.tsx';
import { ToastStack } from '../../src/shared/ui/toast-stack.tsx';
import { toast } from '../../src/shared/ui/toasts.ts';
import { useSelection } from '../../src/shared/ui/use-selection.ts';

interface Thing {
  id: string;
  name: string;
  size: number;
  parts?: Thing[];
}

/** How often the cells of a row were drawn, by name; what tests look at. */
const drawn: Record<string, number> = {};
Object.assign(window, { drawn, toast });

const things = Array.from(
  { length: 100 },
  (_, n): Thing => ({
    id: `thing-${n}`,
    name: `thing ${n}`,
    size: (n * 37) % 100,
    ...(n === 0 ? { parts: [{ id: 'part-a', name: 'part a', size: 1 }] } : {}),
  }),
);
const list: List<Thing> = {
  rows: things,
  total: 100,
  loading: false,
  error: undefined,
  refresh: () => undefined,
  question: '{"page_size":100}',
};

const columns: Column<Thing>[] = [
  {
    id: 'name',
    header: 'Name',
    primary: true,
    sortable: true,
    value: ({ name }) => name,
    cell: ({ name }) => {
      drawn[name] = (drawn[name] ?? 0) + 1;
      return name;
    },
  },
  { id: 'size', header: 'Size', align: 'right', sortable: true, value: ({ size }) => size, cell: ({ size }) => size },
  // About as much as the widest list of the console has in a row.
  ...Array.from(
    { length: 8 },
    (_, n): Column<Thing> => ({
      id: `more-${n}`,
      header: `More ${n}`,
      value: ({ size }) => size,
      cell: ({ size }) => (
        <Tooltip title={`${size}`}>
          <span>
            <StatusTag tone="success" label={`${size}`} />
          </span>
        </Tooltip>
      ),
    }),
  ),
];

function Kit() {
  const selection = useSelection(list);
  const actions = useCallback((thing: Thing) => <RowMenu label={`More actions: ${thing.name}`} actions={[]} />, []);
  const subRows = useCallback((thing: Thing) => thing.parts, []);
  const chosen = useMemo(() => selection.rows.map(({ name }) => name).join(', '), [selection.rows]);
  return (
    <>
      <output>{chosen}</output>
      <ResourceTable
        name="things"
        label="Things"
        list={list}
        page={1}
        onPage={() => undefined}
        empty={null}
        columns={columns}
        actions={actions}
        selection={selection}
        subRows={subRows}
      />
      <ToastStack />
    </>
  );
}

await i18next
  .use(initReactI18next)
  .init({ lng: 'en', resources: { en: { shared: texts } }, defaultNS: 'shared', interpolation: { escapeValue: false } });
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <ThemeProvider theme={theme}>
      <Kit />
    </ThemeProvider>
  </StrictMode>,
);
