/** A screen with a filterable list of what servers offer, grouped by server, beside the chosen item. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { OfferRow, ScreenName } from '../../protocol-rows.ts';
import { Icon, type Tone } from '../parts/elements.tsx';
import { count } from '../parts/format.ts';
import { SearchInput } from '../parts/inputs.tsx';
import { ConnectFirst, ListRow, ListScreen, Problems } from '../parts/layout.tsx';
import { goTo, route } from '../route.ts';
import { hasOffers, offerProblems } from '../store.ts';

export interface OfferLook {
  readonly symbol: string;
  readonly tone?: Tone | undefined;
  readonly word: string;
}

/** Warnings by pin status. */
const alarms = { changed: 'changed since approval', suspicious: 'suspicious text' } as const;

function OfferList({
  screen,
  items,
  label,
  look,
  chosen,
  title = (one) => one.key,
}: {
  screen: ScreenName;
  items: readonly OfferRow[];
  chosen: OfferRow | undefined;
  label: string;
  look(item: OfferRow): OfferLook;
  title?(item: OfferRow): string;
}) {
  const [query, setQuery] = useState('');
  const words = query.toLowerCase();
  const found = items.filter(
    (item) =>
      words === '' || `${item.name} ${item.key} ${item.title} ${item.description}`.toLowerCase().includes(words),
  );
  const servers = [...new Set(found.map(({ server }) => server))];
  const pane = useRef<HTMLDivElement>(null);
  // Scrolls the chosen row into view, for example after a link was followed. Not by scrollIntoView, which would scroll the page too.
  useLayoutEffect(() => {
    const row = pane.current?.querySelector<HTMLElement>('[aria-current]');
    if (pane.current === null || row == null) return;
    const { scrollTop, clientHeight } = pane.current;
    if (row.offsetTop < scrollTop + row.offsetHeight || row.offsetTop + row.offsetHeight > scrollTop + clientHeight)
      pane.current.scrollTop = row.offsetTop - clientHeight / 2;
  }, [chosen?.server, chosen?.key]);
  return (
    <div class="pane list-pane" ref={pane}>
      <div class="filter" hidden={items.length === 0}>
        <SearchInput
          name={`Filter ${label}`}
          value={query}
          onValue={setQuery}
          onKeyDown={({ key }) => key === 'Enter' && found[0] && goTo(screen, found[0].server, found[0].key)}
        />
      </div>
      <Problems problems={offerProblems.value} />
      <div class="rows">
        {servers.map((one) => (
          <section key={one} aria-label={one}>
            <h3>
              <span>
                {one} <span class="num">{found.filter((item) => item.server === one).length}</span>
              </span>
              {found.some((item) => item.server === one && item.tokens !== undefined) && <span>tokens</span>}
            </h3>
            <ul>
              {found
                .filter((item) => item.server === one)
                .map((item) => {
                  const { status } = item;
                  const alarm = status === 'changed' || status === 'suspicious' ? alarms[status] : undefined;
                  return (
                    <ListRow
                      key={item.kind + item.key}
                      {...look(item)}
                      to={[screen, item.server, item.key]}
                      item={item.key}
                      name={title(item)}
                      title={item.description === '' ? item.key : item.description}
                      isCurrent={item === chosen}
                    >
                      {alarm && <Icon name="warning" tone="bad" label={alarm} />}
                      {item.findings > 0 && alarm === undefined && (
                        <Icon name="warning" label={count(item.findings, 'finding')} />
                      )}
                      {item.tokens !== undefined && <span class="num">{item.tokens}</span>}
                    </ListRow>
                  );
                })}
            </ul>
          </section>
        ))}
        {found.length === 0 && items.length > 0 && <p class="none">No name or description contains this text.</p>}
      </div>
    </div>
  );
}

/** Lists the offers of one kind. The chosen one is that of the URL, or else the first. */
export function OfferScreen(props: {
  screen: ScreenName;
  title: string;
  items: readonly OfferRow[];
  look(item: OfferRow): OfferLook;
  /** The name in the list. Default: the key. */
  name?(item: OfferRow): string;
  /** Shown if there are no items (`none`), and if the URL names an unknown one (`other`). */
  none: readonly [title: string, hint: ComponentChildren];
  other: readonly [title: string, hint: ComponentChildren];
  children(chosen: OfferRow): ComponentChildren;
}) {
  const { screen, title, items, look, name, children } = props;
  const [server, key] = route.value.of;
  const chosen = key === undefined ? items[0] : items.find((item) => item.server === server && item.key === key);
  const [empty, hint] = items.length === 0 && key === undefined ? props.none : props.other;
  const named = name === undefined ? {} : { title: name };
  const list = <OfferList {...{ screen, items, chosen, look }} label={title.toLowerCase()} {...named} />;
  return (
    <ListScreen
      {...{ screen, title, list, empty }}
      hint={[hint, <ConnectFirst key="connect" />]}
      isLoading={!hasOffers.value}
    >
      {chosen && children(chosen)}
    </ListScreen>
  );
}
