import { ThemeProvider } from '@mui/material/styles';
import '../../src/shared/ui/cells.css';
import i18next from 'i18next';
import { StrictMode, useCallback, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { initReactI18next } from 'react-i18next';
import { Provider } from 'react-redux';
import { store } from '../../src/app/store.ts';
import { theme } from '../../src/app/theme.ts';
import { AnswerText } from '../../src/features/playground/answer-text.tsx';
import { MarkdownPiece } from '../../src/shared/content/markdown.tsx';
import texts from '../../src/shared/i18n/en.json';
import type { List } from '../../src/shared/list.ts';
import type { Column } from '../../src/shared/ui/column.ts';
import { CopyButton } from '../../src/shared/ui/copy.tsx';
import { HintLayer, hint } from '../../src/shared/ui/hint.tsx';
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
/** The blocks of the answer that were drawn, each time anew. */
const blocks: string[] = [];
Object.assign(window, { drawn, toast, blocks });

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
  isMore: false,
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
        <span {...hint(`${size}`)}>
          <StatusTag tone="success" label={`${size}`} />
        </span>
      ),
    }),
  ),
];

function CountedPiece({ text }: { text: string }) {
  blocks.push(text);
  return <MarkdownPiece text={text} />;
}

/** An answer that grows as `say` is called. */
function Answer() {
  const [text, setText] = useState('');
  Object.assign(window, { say: setText });
  return <AnswerText text={text} piece={CountedPiece} />;
}

function Kit() {
  const [isShown, setShown] = useState(true);
  Object.assign(window, { showTable: setShown });
  const selection = useSelection(list);
  const actions = useCallback(
    (thing: Thing) => (
      <>
        <CopyButton text={thing.name} label={`Copy ${thing.name}`} />
        <RowMenu label={`More actions: ${thing.name}`}>{(menu) => menu([])}</RowMenu>
      </>
    ),
    [],
  );
  const subRows = useCallback((thing: Thing) => thing.parts, []);
  const chosen = useMemo(() => selection.rows.map(({ name }) => name).join(', '), [selection.rows]);
  return (
    <>
      <output>{chosen}</output>
      {isShown && (
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
      )}
      <Answer />
      <ToastStack />
      <HintLayer />
    </>
  );
}

await i18next
  .use(initReactI18next)
  .init({ lng: 'en', resources: { en: { shared: texts } }, defaultNS: 'shared', interpolation: { escapeValue: false } });
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <ThemeProvider theme={theme}>
      <Provider store={store}>
        <Kit />
      </Provider>
    </ThemeProvider>
  </StrictMode>,
);
