/** The small parts that every screen is made of. What an element is decides how it looks; states are attributes. */
import type { ButtonHTMLAttributes, ComponentChildren, HTMLAttributes, SelectHTMLAttributes } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { copyText, type MenuItem } from './copy-text.ts';
import { useEscape } from './use-escape.ts';

export type Tone = 'ok' | 'warn' | 'bad' | 'accent';

export function Icon({ name, tone, label }: { name: string; tone?: Tone | undefined; label?: string }) {
  return (
    <svg
      class={tone === undefined ? 'i' : 'i toned'}
      data-tone={tone}
      aria-hidden={label === undefined}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
    >
      {label !== undefined && <title>{label}</title>}
      <use href={`#i-${name}`} />
    </svg>
  );
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> & {
  kind?: 'primary' | 'quiet' | 'danger' | undefined;
  small?: boolean;
  symbol?: string;
  /** The name of a button that is only a symbol. */
  name?: string;
  keys?: string;
};

export function Button({ kind, small, symbol, name, keys, children, ...rest }: ButtonProps) {
  return (
    <button
      class="btn"
      type="button"
      data-kind={kind}
      data-size={small === true ? 'small' : undefined}
      data-icon={name === undefined ? undefined : ''}
      aria-label={name}
      title={name}
      {...rest}
    >
      {symbol !== undefined && <Icon name={symbol} />}
      {children}
      {keys !== undefined && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

export function Tag({
  tone,
  symbol,
  children,
}: {
  tone?: Tone | undefined;
  symbol?: string;
  children: ComponentChildren;
}) {
  return (
    <span class="tag" data-tone={tone}>
      {symbol !== undefined && <Icon name={symbol} />}
      {children}
    </span>
  );
}

const noteSymbols = { ok: 'check', warn: 'warning', bad: 'failed', accent: 'info' } as const;

export function Note({
  tone,
  symbol,
  children,
  ...rest
}: { tone?: Tone | undefined; symbol?: string; children: ComponentChildren } & HTMLAttributes<HTMLDivElement>) {
  return (
    <div class="note" data-tone={tone} {...rest}>
      <Icon name={symbol ?? (tone === undefined ? 'info' : noteSymbols[tone])} />
      <div>{children}</div>
    </div>
  );
}

/** Nothing yet: what would be here, and how it gets here. */
export function EmptyState({
  symbol,
  title,
  children,
}: {
  symbol: string;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="nothing">
      <Icon name={symbol} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Text of a program, with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="well code" tabIndex={0} role="group" aria-label={label}>
      <CopyButton text={text} />
      <code>{text}</code>
    </div>
  );
}

export function CopyButton({
  text,
  name = 'Copy',
  ...rest
}: { text: string | (() => string | Promise<string>); name?: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <Button kind="quiet" small symbol="copy" name={name} onClick={() => void copyText(text)} {...(rest as object)} />
  );
}

/** Closes a part of a screen, as Escape does. */
export function CloseButton({ name, onClose }: { name: string; onClose(): void }) {
  useEscape(onClose);
  return <Button kind="quiet" small symbol="close" name={name} onClick={onClose} />;
}

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

/** Tabs with one stop for the keyboard; arrow keys choose. */
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

/** A choice of a few, all visible. */
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
  options: readonly (readonly [value: string, title: string])[];
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
      {options.map(([id, title]) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** A button with a list of acts below it. The popover closes by itself, and gives the focus back. */
export function Menu({
  items,
  symbol,
  name,
  children,
}: {
  items: readonly MenuItem[];
  symbol?: string;
  name?: string;
  children?: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const place = (event: { newState: string }): void => {
    const button = document.querySelector(`[popovertarget="${id}"]`);
    const box = button?.getBoundingClientRect();
    if (event.newState !== 'open' || box === undefined || list.current === null) return;
    const width = list.current.offsetWidth;
    const fitsBelow = box.bottom + list.current.offsetHeight + 8 < innerHeight;
    list.current.style.insetInlineStart = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    list.current.style.insetBlockStart = `${fitsBelow ? box.bottom + 4 : box.top - list.current.offsetHeight - 4}px`;
    list.current.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || list.current === null) return;
    const all = [...list.current.querySelectorAll('button')];
    all.at((all.indexOf(document.activeElement as HTMLButtonElement) + step) % all.length)?.focus();
    event.preventDefault();
  };
  return (
    <>
      <Button
        kind="quiet"
        {...(symbol !== undefined && { symbol })}
        {...(name !== undefined && { name })}
        {...{ popovertarget: id }}
        aria-haspopup="menu"
      >
        {children}
        {children !== undefined && <Icon name="down" />}
      </Button>
      <div id={id} class="menu" popover="auto" role="menu" ref={list} onToggle={place} onKeyDown={onKeyDown}>
        {items.map(({ title, onChoose, disabled }) => (
          <button
            key={title}
            type="button"
            role="menuitem"
            disabled={disabled}
            onClick={() => {
              list.current?.hidePopover();
              onChoose();
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </>
  );
}

/** How far something is; without a total it only says that it goes on. */
export function Progress({
  value,
  total,
  label,
}: {
  value?: number | undefined;
  total?: number | undefined;
  label: string;
}) {
  const share = value !== undefined && total !== undefined && total > 0 ? Math.min(1, value / total) : undefined;
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
      data-state={share === undefined ? 'running' : undefined}
    >
      <i style={{ '--v': `${(share ?? 0.3) * 100}%` }} />
    </div>
  );
}

/** Rows of names and values; those without a value are left out. */
export function Pairs({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {rows
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

/** A sentence; what is in backticks there is code. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={String(at)}>{part}</code> : part))}</>;
}

/** What failed, and what to do about it. */
export function Failure({
  sentence,
  remedy,
  children,
}: {
  sentence: string;
  remedy?: string | undefined;
  children?: ComponentChildren;
}) {
  return (
    <Note tone="bad" role="alert">
      <strong>{sentence}</strong>
      {remedy !== undefined && (
        <p>
          <WithCode text={remedy} />
        </p>
      )}
      {children}
    </Note>
  );
}
