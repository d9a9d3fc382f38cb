/** Basic elements of all screens. The kind of an element determines its style; states are data attributes. */
import type { ButtonHTMLAttributes, ComponentChildren, HTMLAttributes } from 'preact';
import { linkTo } from '../route.ts';
import type { CallProgress } from '../store.ts';
import { copyText } from './copy-text.ts';
import { useEscape } from './use-escape.ts';

export type Tone = 'ok' | 'warn' | 'bad' | 'accent';

/** Content of an element. */
export interface WithChildren {
  text?: ComponentChildren;
  children?: ComponentChildren;
}
export interface ElementLook {
  symbol?: string | undefined;
  tone?: Tone | undefined;
}

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

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  text?: ComponentChildren;
  kind?: 'primary' | 'quiet' | 'danger' | undefined;
  small?: boolean;
  symbol?: string;
  /** The accessible name of a button without text. */
  name?: string;
  keys?: string;
};

export function Button({ kind, small, symbol, name, keys, text, children, ...rest }: ButtonProps) {
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
      {text}
      {children}
      {keys !== undefined && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

export const isMac: boolean = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The main action of a screen or question. Ctrl+Enter triggers it too. */
export const MainButton = ({ keys = 'ctrl-enter', ...rest }: ButtonProps) => (
  <Button kind="primary" keys={isMac ? '⌘ ⏎' : 'Ctrl ⏎'} data-key={keys} {...(rest as object)} />
);

/** A link to a screen that looks like a button. */
export function LinkButton({ to, kind, symbol, tone, name, text, children }: LinkButtonProps) {
  return (
    <a
      class="btn"
      data-kind={kind}
      data-tone={tone}
      {...(name !== undefined && { 'data-icon': '', 'data-size': 'small', 'aria-label': name, title: name })}
      href={linkTo(...to)}
    >
      {symbol !== undefined && <Icon name={symbol} />}
      {text}
      {children}
    </a>
  );
}
type LinkButtonProps = { to: Parameters<typeof linkTo>; name?: string; kind?: ButtonProps['kind'] } & ElementLook &
  WithChildren;

export function Tag({ tone, symbol, text, children }: ElementLook & WithChildren) {
  return (
    <span class="tag" data-tone={tone}>
      {symbol !== undefined && <Icon name={symbol} />}
      {text}
      {children}
    </span>
  );
}

const noteSymbols = { ok: 'check', warn: 'warning', bad: 'failed', accent: 'info' } as const;

export function Note({ tone, symbol, children, ...rest }: ElementLook & WithChildren & HTMLAttributes<HTMLDivElement>) {
  return (
    <div class="note" data-tone={tone} {...rest}>
      <Icon name={symbol ?? (tone === undefined ? 'info' : noteSymbols[tone])} />
      <div>{children}</div>
    </div>
  );
}

/** Shown instead of an empty list: what it will contain, and how to get there. */
export function EmptyState({ symbol, title, text, children }: { symbol: string; title: string } & WithChildren) {
  return (
    <div class="nothing">
      <Icon name={symbol} />
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** Shown in place of what is still loading, if that takes a moment. */
export const Loading = ({ what }: { what: string }) => (
  <p class="loading">
    <Icon name="working" /> Loading {what}…
  </p>
);

/** A block of code with a copy button. */
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

/** Closes a part of the screen. Escape does the same. */
export function CloseButton({ name, onClose }: { name: string; onClose(): void }) {
  useEscape(onClose);
  return <Button kind="quiet" small symbol="close" name={name} onClick={onClose} />;
}

/** A progress bar; indeterminate without a total. */
export function Progress({ of, label }: { of: CallProgress | undefined; label: string }) {
  const { progress = 0, total = 0 } = of ?? {};
  const share = total > 0 ? Math.min(1, progress / total) : undefined;
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

/** A list of names and values. Rows with an undefined value are left out. */
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

/** A text in which backticks mark code. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={String(at)}>{part}</code> : part))}</>;
}

/** An error and its remedy. */
export function Failure({ sentence, remedy }: { sentence: string; remedy?: string | undefined }) {
  return (
    <Note tone="bad" role="alert">
      <strong>{sentence}</strong>
      {remedy !== undefined && (
        <p>
          <WithCode text={remedy} />
        </p>
      )}
    </Note>
  );
}
