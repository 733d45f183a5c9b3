import type { OnChangeFn, RowSelectionState } from '@tanstack/react-table';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { List } from '../list.ts';

export interface Selection<Row> {
  ids: RowSelectionState;
  /** All selected rows, those of other pages as they were when last seen. */
  rows: Row[];
  change: OnChangeFn<RowSelectionState>;
  clear: () => void;
}

/** The selected rows of a list, kept while one goes through its pages; a row that is deleted leaves it. */
export function useSelection<Row extends { id: number | string }>(list: List<Row>): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const shown = useMemo(() => new Map(list.rows?.map((row) => [String(row.id), row])), [list.rows]);
  const ids = useMemo<RowSelectionState>(() => Object.fromEntries([...chosen.keys()].map((id) => [id, true])), [chosen]);
  const rows = useMemo(() => [...chosen].map(([id, row]) => shown.get(id) ?? row), [chosen, shown]);
  const change = useCallback<OnChangeFn<RowSelectionState>>(
    (update) =>
      setChosen((before) => {
        const now = typeof update === 'function' ? update(Object.fromEntries([...before.keys()].map((id) => [id, true]))) : update;
        return new Map(
          Object.keys(now).flatMap((id) => {
            const row = shown.get(id) ?? before.get(id);
            return row ? [[id, row]] : [];
          }),
        );
      }),
    [shown],
  );
  const clear = useCallback(() => setChosen(new Map()), []);
  useForgetDeleted(list, shown, setChosen);
  return useMemo(() => ({ ids, rows, change, clear }), [ids, rows, change, clear]);
}

type SetChosen<Row> = (change: (before: ReadonlyMap<string, Row>) => ReadonlyMap<string, Row>) => void;

/** A row that is gone when the same page is read again, the list being shorter, was deleted: here or by someone else. */
function useForgetDeleted<Row>(list: List<Row>, shown: ReadonlyMap<string, Row>, setChosen: SetChosen<Row>): void {
  const last = useRef<{ question: string; total: number; ids: string[] }>(undefined);
  useEffect(() => {
    const { question, total } = list;
    if (question === undefined) return;
    const before = last.current;
    last.current = { question, total, ids: [...shown.keys()] };
    if (before?.question !== question || total >= before.total) return;
    const gone = before.ids.filter((id) => !shown.has(id));
    setChosen((chosen) => (gone.some((id) => chosen.has(id)) ? new Map([...chosen].filter(([id]) => !gone.includes(id))) : chosen));
  }, [list, shown, setChosen]);
}
