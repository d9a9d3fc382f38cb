/** A virtualized list: renders only the visible rows and a few around them. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Browsers limit the height of an element to about 33 million pixels. */
const MAX_HEIGHT = 30_000_000;
/** Rows rendered above and below the visible ones. */
const OVERSCAN = 6;

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Keeps the end in view while rows are added. */
  readonly follows?: boolean;
  /** The index of a row to scroll into view. */
  readonly shows?: number | undefined;
  /** For a tree: the id of the active row (`aria-activedescendant`). */
  readonly active?: string;
  readonly header?: ComponentChildren;
  readonly class?: string;
  readonly role?: 'table' | 'tree' | 'list';
  row(index: number): ComponentChildren;
  onRange?(first: number, last: number): void;
  onScrolledByUser?(isAtEnd: boolean): void;
  onKeyDown?(event: KeyboardEvent): void;
}

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, row, onRange, follows = false, shows, role = 'table' } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (follows && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [follows, count, height]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || shows === undefined || shows >= count) return;
    const at = shows * rowHeight;
    if (at < element.scrollTop || at + 2 * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(0, at - element.clientHeight / 2);
  }, [shows, rowHeight, height, shows !== undefined && shows < count]);
  useEffect(() => onRange?.(first, last), [first, last, onRange]);

  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    setTop(element.scrollTop);
    props.onScrolledByUser?.(element.scrollTop + element.clientHeight > element.scrollHeight - 2 * rowHeight);
  };
  // Keys of rows are relative to `base`. After a short scroll, rows keep their elements. After a long one, `base` moves, so that elements
  // are reused for other rows, which is cheaper than creating new ones; unless a visible row has the focus.
  const rendered = useRef({ first: 0, base: 0 });
  const moved = Math.abs(first - rendered.current.first) / (last - first);
  const keepsRows = moved < 0.5 || (moved < 1 && box.current?.querySelector(':focus') != null);
  if (!keepsRows) rendered.current.base += first - rendered.current.first;
  rendered.current.first = first;
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++)
    rows.push(<Fragment key={index - rendered.current.base}>{row(index)}</Fragment>);
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ''}`}
      role={role}
      aria-label={props.label}
      aria-activedescendant={props.active}
      aria-rowcount={role === 'table' ? count : undefined}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={props.onKeyDown}
    >
      {props.header}
      <div
        class="inner"
        role={role === 'table' ? 'rowgroup' : 'presentation'}
        style={{ '--h': `${Math.min(MAX_HEIGHT, count * rowHeight)}px` }}
      >
        <div class="window" role="presentation" style={{ '--y': `${first * rowHeight}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
