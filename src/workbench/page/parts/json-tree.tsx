/** A JSON tree: virtualized rows with a depth, search, and copying of paths and values. */
import { useId, useMemo, useState } from 'preact/hooks';
import { copyText } from './copy-text.ts';
import { Button } from './elements.tsx';
import { count } from './format.ts';
import { SearchInput } from './inputs.tsx';
import { VirtualList } from './virtual-list.tsx';

interface TreeRow {
  readonly path: string;
  readonly name: string | undefined;
  readonly depth: number;
  readonly value: unknown;
  readonly isOpen: boolean | undefined;
  readonly closes: boolean;
}

const ROW_HEIGHT = 22;
/** Trees up to this many rows are not virtualized, so that they are only as high as their content. */
const MAX_PLAIN_ROWS = 120;
/** Objects and lists below this depth, or with more entries than this, start collapsed. */
const OPEN_DEPTH = 3;
const MAX_OPEN_ENTRIES = 60;
/** Displayed characters of a string; a copy has all of them. */
const MAX_STRING = 2_000;

/** Whether the value has children, as objects and arrays do. */
const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;
const pointer = (path: string, name: string): string => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function rowsOf(root: unknown, toggled: ReadonlySet<string>, search: string): TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (value: unknown, name: string | undefined, path: string, depth: number): void => {
    const entries = isTree(value) ? Object.entries(value) : [];
    if (!isTree(value) || entries.length === 0) {
      rows.push({ path, name, depth, value, isOpen: undefined, closes: false });
      return;
    }
    const opens = (depth < OPEN_DEPTH && entries.length <= MAX_OPEN_ENTRIES) || depth === 0;
    const isOpen = search !== '' || opens !== toggled.has(path);
    rows.push({ path, name, depth, value, isOpen, closes: false });
    if (!isOpen) return;
    for (const [key, member] of entries)
      walk(member, Array.isArray(value) ? undefined : key, pointer(path, key), depth + 1);
    rows.push({ path, name: undefined, depth, value, isOpen: undefined, closes: true });
  };
  walk(root, undefined, '', 0);
  if (search === '') return rows;
  const found = search.toLowerCase();
  return rows.filter(
    ({ closes, name, value }) =>
      !closes && `${name ?? ''} ${isTree(value) ? '' : String(value)}`.toLowerCase().includes(found),
  );
}

function Value({ value, isOpen, closes }: { value: unknown; isOpen: boolean | undefined; closes: boolean }) {
  if (isTree(value)) {
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (closes) return <span class="c">{close}</span>;
    const size = Object.keys(value).length;
    if (size === 0) return <span class="c">{`${open}${close}`}</span>;
    return <span class="c">{isOpen === true ? open : `${open} ${size} ${close}`}</span>;
  }
  if (typeof value === 'string')
    return (
      <>
        <span class="s">{JSON.stringify(value.slice(0, MAX_STRING))}</span>
        {value.length > MAX_STRING && <span class="c">{`… ${count(value.length, 'character')}`}</span>}
      </>
    );
  return <span class={typeof value === 'number' ? 'n' : 'c'}>{String(value)}</span>;
}

export function JsonTree(props: { value: unknown; label: string; search?: boolean }) {
  const { value, label, search: hasSearch = false } = props;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const rows = useMemo(() => rowsOf(value, toggled, search), [value, toggled, search]);
  const toggle = (path: string): void => {
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[at];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = Math.max(0, Math.min(rows.length - 1, at + step));
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (
      row?.isOpen !== undefined &&
      ((event.key === 'ArrowRight') !== row.isOpen || event.key === 'Enter') &&
      ['ArrowRight', 'ArrowLeft', 'Enter'].includes(event.key)
    )
      toggle(row.path);
    else if (event.key === 'p' && row !== undefined) void copyText(row.path);
    else if (event.key === 'v' && row !== undefined) void copyText(JSON.stringify(row.value, null, 2));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const draw = (index: number) => {
    const row = rows[index];
    if (row === undefined) return null;
    return (
      <div
        key={`${row.path}${row.closes ? ' end' : ''}`}
        id={`${id}-${index}`}
        role="treeitem"
        aria-level={row.depth + 1}
        aria-expanded={row.isOpen}
        aria-selected={index === at}
        style={{ '--d': String(row.depth) }}
        onClick={() => {
          setAt(index);
          if (row.isOpen !== undefined) toggle(row.path);
        }}
      >
        {row.name !== undefined && (
          <>
            {/* Lets a long name break after each slash. */}
            <span class="k">
              {row.name.split('/').flatMap((part, at) => (at === 0 ? [part] : ['/', <wbr />, part]))}
            </span>
            {': '}
          </>
        )}
        <Value {...row} />
      </div>
    );
  };
  return (
    <div class="tree">
      {hasSearch && (
        <div class="tree-tools">
          <SearchInput
            name={`Search in ${label}`}
            placeholder="Search in this JSON"
            value={search}
            onValue={setSearch}
          />
          <Button kind="quiet" small onClick={() => void copyText(rows[at]?.path ?? '')} text="Copy path" />
          <Button
            kind="quiet"
            small
            onClick={() => void copyText(JSON.stringify(rows[at]?.value, null, 2) ?? '')}
            text="Copy value"
          />
        </div>
      )}
      {rows.length <= MAX_PLAIN_ROWS ? (
        <div
          class="json"
          role="tree"
          aria-label={label}
          aria-activedescendant={`${id}-${at}`}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          {rows.map((_, index) => draw(index))}
        </div>
      ) : (
        <VirtualList
          class="json"
          role="tree"
          label={label}
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          row={draw}
          shows={at}
          active={`${id}-${at}`}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  );
}
