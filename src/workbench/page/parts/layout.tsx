/** How screens are laid out: a list beside what was chosen of it, and tables with heads. */
import type { ComponentChildren } from 'preact';
import type { ScreenName } from '../../protocol-rows.ts';
import { openWindow } from '../commands.ts';
import { linkTo } from '../route.ts';
import { isOn } from '../shell/server-state.ts';
import { servers } from '../store.ts';
import { Button, EmptyState } from './elements.tsx';

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
              <ConnectFirst />
            </EmptyState>
          </div>
        )}
      </div>
    </section>
  );
}

/** Where no server is connected, what to do about it. */
function ConnectFirst() {
  if (servers.value.some(isOn)) return null;
  const [first] = servers.value;
  return first === undefined ? (
    <AddServerButton />
  ) : (
    <a class="btn" data-kind="primary" href={linkTo('servers', first.label)}>
      Open {first.label}
    </a>
  );
}

export function AddServerButton() {
  const open = (): void => {
    openWindow.value = 'add-server';
  };
  return (
    <Button kind="primary" symbol="plus" onClick={open}>
      Add a server
    </Button>
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
