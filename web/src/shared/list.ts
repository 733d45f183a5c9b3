import type { Page } from '@tollgate/contracts/api/common';
import { useMemo } from 'react';

/** What a table needs to know of the list it shows. */
export interface List<Row> {
  /** Undefined until the first answer. While another page is on its way these are the last one's rows. */
  rows: Row[] | undefined;
  total: number;
  /** There are more than `total`; how many is not known. */
  isMore: boolean;
  loading: boolean;
  /** Why the last question failed; rows that an earlier one brought stay in sight. */
  error: unknown;
  refresh: () => void;
  /** The same text for the same question: page, size and filters. Undefined while `rows` answer another question. */
  question: string | undefined;
}

interface PageQuery<Row> {
  data?: Page<Row> | undefined;
  currentData?: Page<Row> | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
  originalArgs?: unknown;
}

/** The list that a paged query reads. A page that could not be read never shows another page's rows as its own. */
export function useList<Row>(query: PageQuery<Row>): List<Row> {
  const { data, currentData, error, isFetching, refetch, originalArgs } = query;
  const page = error && !isFetching ? currentData : data;
  const question = currentData ? JSON.stringify(originalArgs) : undefined;
  return useMemo(
    () => ({
      rows: page?.items,
      total: page?.total ?? 0,
      isMore: page?.total_is_more === true,
      loading: isFetching,
      error,
      refresh: () => void refetch(),
      question,
    }),
    [page, isFetching, error, refetch, question],
  );
}
