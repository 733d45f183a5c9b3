import { useEffect, useState } from 'react';

type Trigger<Row> = (id: number) => { unwrap(): Promise<Row> };

/** The row with this id as the server has it now, never as this browser once saw it. `load` is the trigger of a lazy query. */
export function useFreshRow<Row>(load: Trigger<Row>, id: number): { row?: Row; error?: unknown } {
  const [state, setState] = useState<{ row?: Row; error?: unknown }>({});
  useEffect(() => {
    let isGone = false;
    setState({});
    load(id)
      .unwrap()
      .then(
        (row) => !isGone && setState({ row }),
        (error: unknown) => !isGone && setState({ error }),
      );
    return () => {
      isGone = true;
    };
  }, [load, id]);
  return state;
}
