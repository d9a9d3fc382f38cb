/** Loads the rows of a long list in pages, when they scroll into view. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

const PAGE = 200;
/** Cached pages; evicted ones are loaded again. */
const MAX_PAGES = 30;
/** Concurrent requests. If the user scrolls faster, pages in between are skipped. */
const MAX_REQUESTS = 2;

export interface PagedRows<R> {
  /** True once any list has its first page. */
  readonly isLoaded: boolean;
  readonly total: number;
  rowAt(index: number): R | undefined;
  onRange(first: number, end: number): void;
  /** Reloads the last page, when rows were added. */
  follow(): void;
}

type FetchPage<R> = (offset: number, limit: number) => Promise<{ readonly rows: readonly R[]; readonly total: number }>;

/** A new `key` starts a new list; the previous one stays visible until the first page arrives, so that nothing flickers. */
export function usePages<R>(key: string, fetchPage: FetchPage<R>): PagedRows<R> {
  const [, redraw] = useState(0);
  const list = useMemo(
    () => ({
      pages: new Map<number, readonly R[]>(),
      requested: new Set<number>(),
      range: [0, 0],
      total: 0,
      isLoaded: false,
      /** Rows were added while the last page was loading. */
      isBehind: false,
    }),
    [key],
  );
  const shown = useRef(list);
  if (list.isLoaded) shown.current = list;
  const load = async (page: number): Promise<void> => {
    if (list.requested.has(page)) return;
    list.requested.add(page);
    const got = await fetchPage(page * PAGE, PAGE).catch(() => undefined);
    list.requested.delete(page);
    if (got === undefined) return;
    list.pages.set(page, got.rows);
    for (const old of list.pages.keys()) if (list.pages.size > MAX_PAGES && old !== page) list.pages.delete(old);
    const [first = 0, end = 0] = list.range;
    const isShown = page * PAGE < end && (page + 1) * PAGE > first;
    // A page that was scrolled out of view meanwhile needs no redraw.
    if (isShown || !list.isLoaded || got.total !== list.total) redraw((times) => times + 1);
    list.total = got.total;
    list.isLoaded = true;
    fill();
    if (list.isBehind) follow();
  };
  const follow = (): void => {
    const last = Math.floor(list.total / PAGE);
    list.isBehind = list.requested.has(last);
    void load(last);
  };
  const fill = (): void => {
    const [first = 0, end = 0] = list.range;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(0, end - 1) / PAGE); page++)
      if (!list.pages.has(page) && list.requested.size < MAX_REQUESTS) void load(page);
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
    follow,
  };
}
