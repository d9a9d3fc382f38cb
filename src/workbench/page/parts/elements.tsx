/** The small parts that every screen is made of. What an element is decides how it looks; states are attributes. */
import type { ButtonHTMLAttributes, ComponentChildren, HTMLAttributes } from 'preact';
import { linkTo } from '../route.ts';
import type { CallProgress } from '../store.ts';
import { copyText } from './copy-text.ts';
import { useEscape } from './use-escape.ts';

export type Tone = 'ok' | 'warn' | 'bad' | 'accent';

/** What an element has inside: words, or anything else. */
export interface Inside {
  text?: ComponentChildren;
  children?: ComponentChildren;
}
/** How something is marked. */
export interface Look {
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
  /** The name of a button that is only a symbol. */
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

/** The one act that a screen or a question is there for. Ctrl+Enter does it too. */
export const MainButton = ({ keys = 'ctrl-enter', ...rest }: ButtonProps) => (
  <Button kind="primary" keys={isMac ? '⌘ ⏎' : 'Ctrl ⏎'} data-key={keys} {...(rest as object)} />
);

/** Looks like a button, because it stands beside some, and leads to a screen. */
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
type LinkButtonProps = { to: Parameters<typeof linkTo>; name?: string; kind?: ButtonProps['kind'] } & Look & Inside;

export function Tag({ tone, symbol, text, children }: Look & Inside) {
  return (
    <span class="tag" data-tone={tone}>
      {symbol !== undefined && <Icon name={symbol} />}
      {text}
      {children}
    </span>
  );
}

const noteSymbols = { ok: 'check', warn: 'warning', bad: 'failed', accent: 'info' } as const;

export function Note({ tone, symbol, children, ...rest }: Look & Inside & HTMLAttributes<HTMLDivElement>) {
  return (
    <div class="note" data-tone={tone} {...rest}>
      <Icon name={symbol ?? (tone === undefined ? 'info' : noteSymbols[tone])} />
      <div>{children}</div>
    </div>
  );
}

/** Nothing yet: what would be here, and how it gets here. */
export function EmptyState({ symbol, title, text, children }: { symbol: string; title: string } & Inside) {
  return (
    <div class="nothing">
      <Icon name={symbol} />
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
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

/** How far something is; without a total it only says that it goes on. */
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
