/** Layout of screens: a list beside the chosen item, cards, tables. */
import type { ComponentChildren, HTMLAttributes } from 'preact';
import type { ScreenName } from '../../protocol-rows.ts';
import { showWindow } from '../commands.ts';
import { linkTo } from '../route.ts';
import { isOn } from '../shell/server-state.ts';
import { readyServers, servers, travelling } from '../store.ts';
import { Button, EmptyState, Icon, LinkButton, Loading, type Tone } from './elements.tsx';

/** A list beside the chosen item (`children`); without a choice, an empty state, unless the list is still loading. */
export function ListScreen(props: {
  screen: ScreenName;
  title: string;
  list: ComponentChildren;
  /** The title of the empty state. */
  empty: string;
  hint: ComponentChildren;
  isLoading?: boolean;
  children: ComponentChildren;
}) {
  const { screen, title, list, empty, hint, isLoading = false, children } = props;
  return (
    <section class="screen" data-screen={screen}>
      <div class="panes">
        {list}
        {children ?? (
          <div class="pane" aria-busy={isLoading}>
            <h1 class="sr">{title}</h1>
            {isLoading ? (
              <Loading what={title.toLowerCase()} />
            ) : (
              <EmptyState symbol={screen} title={empty}>
                {hint}
              </EmptyState>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

/** A row of a list: a link that opens its item. */
export function ListRow(props: {
  to: Parameters<typeof linkTo>;
  name: string;
  symbol: string;
  tone?: Tone | undefined;
  /** The meaning of the symbol, for screen readers. */
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

/** Reasons why a list is incomplete. */
export const Problems = ({ problems = [] }: { problems?: readonly string[] | undefined }) => (
  <>
    {problems.map((problem) => (
      <p class="problem" key={problem}>
        <Icon name="warning" tone="warn" /> {problem}
      </p>
    ))}
  </>
);

/** If no server is connected: a button that leads to one, or adds one. */
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

/** Whether the page can send requests to a server now. */
export const canSend = (server: string): boolean =>
  travelling.value === undefined && readyServers.value.some(({ label }) => label === server);

/** Explains why the page cannot send requests to a server, with a link that helps. */
export function CannotSend({ server }: { server: string }) {
  if (canSend(server)) return null;
  return travelling.value === undefined ? (
    <span class="dim">
      {server} is not connected. <a href={linkTo('servers', server)}>Go to the server</a>
    </span>
  ) : (
    <span class="dim">
      A recording is open, so nothing is sent. <a href={linkTo('travel')}>Go to the recording</a>
    </span>
  );
}

export function AddServerButton() {
  return <Button kind="primary" symbol="plus" onClick={showWindow('add-server')} text="Add a server" />;
}

/** A section with title and actions. */
export function Card(
  props: {
    title: string;
    /** The accessible name, if other cards on the screen have the same title. */
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

/** A column header, with its class; `sr` hides its text from everyone but screen readers. */
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
