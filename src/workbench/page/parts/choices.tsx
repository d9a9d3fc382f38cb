/** Controls that choose one of a few items: tabs, segments and a select. */
import type { SelectHTMLAttributes } from 'preact';
import { useRef } from 'preact/hooks';

export interface TabItem {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
}

interface TabsProps {
  items: readonly TabItem[];
  current: string;
  onChoose(id: string): void;
  label: string;
}

/** Tabs with a roving tabindex: one tab stop, arrow keys choose. */
export function Tabs({ items, current, onChoose, label }: TabsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = (items.findIndex(({ id }) => id === current) + step + items.length) % items.length;
    onChoose(items[at]?.id ?? current);
    (bar.current?.children[at] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
      {items.map(({ id, title, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {title} {count !== undefined && <span class="num">{count}</span>}
        </button>
      ))}
    </div>
  );
}

/** A row of toggle buttons. */
export function Segments({ items, current, onChoose, label }: TabsProps) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {items.map(({ id, title }) => (
        <button key={id} type="button" aria-pressed={id === current} onClick={() => onChoose(id)}>
          {title}
        </button>
      ))}
    </div>
  );
}

export function Select({
  label,
  value,
  options,
  onChoose,
  ...rest
}: {
  label: string;
  value: string;
  /** A value, or a value with its title. */
  options: readonly (string | readonly [value: string, title: string])[];
  onChoose(value: string): void;
} & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select
      class="input"
      data-size="small"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
      {...(rest as object)}
    >
      {options.map((option) => {
        const [id, title] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={id} value={id}>
            {title}
          </option>
        );
      })}
    </select>
  );
}
