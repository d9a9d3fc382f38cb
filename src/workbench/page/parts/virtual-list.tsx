/** A list of any length that draws the rows on the screen and a few around them. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Browsers stop at about 33 million pixels. */
const MAX_HEIGHT = 30_000_000;
const AROUND = 6;

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Stays at the end while rows are added. */
  readonly follows?: boolean;
  /** The row that must be visible. */
  readonly shows?: number | undefined;
  /** The id of the row that the keys of a tree are for. */
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
  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + AROUND);

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
  // By a few rows: those that stay keep their elements. By more: elements are used again for whatever row is in their place, which
  // costs half of new ones, unless one of them has the focus.
  const drawn = useRef({ first: 0, base: 0 });
  const moved = Math.abs(first - drawn.current.first) / (last - first);
  const keepsRows = moved < 0.5 || (moved < 1 && box.current?.querySelector(':focus') != null);
  if (!keepsRows) drawn.current.base += first - drawn.current.first;
  drawn.current.first = first;
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index++)
    rows.push(<Fragment key={index - drawn.current.base}>{row(index)}</Fragment>);
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
