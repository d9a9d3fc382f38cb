/** How screens are laid out: a list beside what was chosen of it, and tables with heads. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { ScreenName } from '../../protocol-rows.ts';
import { showWindow } from '../commands.ts';
import { linkTo } from '../route.ts';
import { isOn } from '../shell/server-state.ts';
import { readyServers, servers, travelling } from '../store.ts';
import { Button, EmptyState, Icon, LinkButton, type Tone } from './elements.tsx';

/** A list, and what was chosen of it; without a choice, what there is to choose. */
export function ListScreen(props: {
  screen: ScreenName;
  title: string;
  list: ComponentChildren;
  /** What stands there without a choice. */
  empty: string;
  hint: ComponentChildren;
  children: ComponentChildren;
}) {
  const { screen, title, list, empty, hint, children } = props;
  return (
    <section class="screen" data-screen={screen}>
      <div class="panes">
        {list}
        {children ?? (
          <div class="pane">
            <h1 class="sr">{title}</h1>
            <EmptyState symbol={screen} title={empty}>
              {hint}
            </EmptyState>
          </div>
        )}
      </div>
    </section>
  );
}

/** One of a list, which opens it. */
export function ListRow(props: {
  to: Parameters<typeof linkTo>;
  name: string;
  symbol: string;
  tone?: Tone | undefined;
  /** What the symbol says. */
  word?: string;
  isCurrent: boolean;
  title?: string;
  item?: string;
  children?: ComponentChildren;
}) {
  const { to, name, symbol, tone, word, isCurrent, title, item, children } = props;
  return (
    <li>
      <a href={linkTo(...to)} data-row="" data-item={item} aria-current={isCurrent ? 'true' : undefined} title={title}>
        <Icon name={symbol} tone={tone} />
        {word !== undefined && <span class="sr">{`${word}: `}</span>}
        <span class="name">{name}</span>
        {children}
      </a>
    </li>
  );
}

/** Why a list is not whole. */
export const Problems = ({ problems = [] }: { problems?: readonly string[] | undefined }) => (
  <>
    {problems.map((problem) => (
      <p class="problem" key={problem}>
        <Icon name="warning" tone="warn" /> {problem}
      </p>
    ))}
  </>
);

/** Where no server is connected, what to do about it. */
export function ConnectFirst() {
  if (servers.value.some(isOn)) return null;
  const [first, second] = servers.value;
  if (first === undefined) return <AddServerButton />;
  return (
    <LinkButton
      kind="primary"
      to={['servers', ...(second === undefined ? [first.label] : [])]}
      text={second === undefined ? `Open ${first.label}` : 'See the servers'}
    />
  );
}

/** Whether something can be sent to a server now. */
export const canSend = (server: string): boolean =>
  travelling.value === undefined && readyServers.value.some(({ label }) => label === server);

/** Why nothing can be sent, and what to do about it. */
export function CannotSend({ server }: { server: string }) {
  if (canSend(server)) return null;
  return travelling.value === undefined ? (
    <span class="dim">
      {server} is not connected. <a href={linkTo('servers', server)}>Open it</a>
    </span>
  ) : (
    <span class="dim">
      A recording is open, so nothing is sent. <a href={linkTo('travel')}>Go back to live</a>
    </span>
  );
}

export function AddServerButton() {
  return <Button kind="primary" symbol="plus" onClick={showWindow('add-server')} text="Add a server" />;
}

/** One thing with a title, and acts of its own. */
export function Card(
  props: {
    title: string;
    /** Where others on the screen have the same title. */
    label?: string | undefined;
    kind?: 'result' | 'running';
    symbol?: string | undefined;
    tone?: Tone | undefined;
    beside?: ComponentChildren;
    actions?: ComponentChildren;
    children?: ComponentChildren;
  } & HTMLAttributes<HTMLElement>,
) {
  const { title, label = title, kind = '', symbol, tone, beside, actions, children, ...rest } = props;
  return (
    <section class={`card ${kind}`} aria-label={label} {...rest}>
      <header data-tone={tone}>
        {symbol !== undefined && <Icon name={symbol} />}
        <h2>{title}</h2>
        {beside}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A head with a class, such as `wide` or `end`; one that is `sr` is for screen readers alone. */
type TableHead = string | readonly [title: string, kind: 'wide' | 'end' | 'sr'];

export function RowTable({ heads, children }: { heads: readonly TableHead[]; children: ComponentChildren }) {
  return (
    <table class="table">
      <thead>
        <tr>
          {heads.map((head) => {
            const [title, kind] = typeof head === 'string' ? [head, undefined] : head;
            return (
              <th key={title} class={kind === 'sr' ? undefined : kind}>
                {kind === 'sr' ? <span class="sr">{title}</span> : title}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
