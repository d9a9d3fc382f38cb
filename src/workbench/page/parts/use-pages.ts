/** Rows of a long list by page, asked for as they come into view. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

const PAGE = 200;
/** Pages that are kept; the rest is asked for again. */
const MAX_PAGES = 30;
/** Requests under way. Where the user scrolls faster than that, the pages in between are left out. */
const AT_ONCE = 2;

export interface PagedRows<R> {
  /** False before the first page of the first list is there. */
  readonly isLoaded: boolean;
  readonly total: number;
  rowAt(index: number): R | undefined;
  onRange(first: number, end: number): void;
  /** Asks for the last page again: it is no longer whole. */
  follow(): void;
}

type FetchPage<R> = (offset: number, limit: number) => Promise<{ readonly rows: readonly R[]; readonly total: number }>;

/** Another key is another list. Until its first page is there the one before is shown, so that nothing flickers. */
export function usePages<R>(key: string, fetchPage: FetchPage<R>): PagedRows<R> {
  const [, redraw] = useState(0);
  const list = useMemo(
    () => ({
      pages: new Map<number, readonly R[]>(),
      asked: new Set<number>(),
      range: [0, 0],
      total: 0,
      isLoaded: false,
    }),
    [key],
  );
  const shown = useRef(list);
  if (list.isLoaded) shown.current = list;
  const load = async (page: number): Promise<void> => {
    if (list.asked.has(page)) return;
    list.asked.add(page);
    const got = await fetchPage(page * PAGE, PAGE).catch(() => undefined);
    list.asked.delete(page);
    if (got === undefined) return;
    list.pages.set(page, got.rows);
    for (const old of list.pages.keys()) if (list.pages.size > MAX_PAGES && old !== page) list.pages.delete(old);
    const [first = 0, end = 0] = list.range;
    const isShown = page * PAGE < end && (page + 1) * PAGE > first;
    // What was scrolled past meanwhile is drawn when the user comes back to it.
    if (isShown || !list.isLoaded || got.total !== list.total) redraw((times) => times + 1);
    list.total = got.total;
    list.isLoaded = true;
    fill();
  };
  const fill = (): void => {
    const [first = 0, end = 0] = list.range;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(0, end - 1) / PAGE); page++)
      if (!list.pages.has(page) && list.asked.size < AT_ONCE) void load(page);
  };
  useEffect(() => void load(0), [list]);
  const onRange = useCallback(
    (first: number, end: number) => {
      list.range = [first, end];
      fill();
    },
    [list],
  );
  return {
    isLoaded: shown.current.isLoaded,
    total: shown.current.total,
    rowAt: (index) => shown.current.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    onRange,
    follow: () => void load(Math.floor(list.total / PAGE)),
  };
}
