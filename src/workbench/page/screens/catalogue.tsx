/** The Catalogue screen: tokens by tool and field, the tools that fit a model's budget, lint findings, latency. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { systemClock } from '../../../peer/clock.ts';
import type { LintRow, TokenRow } from '../../protocol-rows.ts';
import { Segments } from '../parts/choices.tsx';
import { EmptyState, Loading, Tag } from '../parts/elements.tsx';
import { count } from '../parts/format.ts';
import { SearchInput } from '../parts/inputs.tsx';
import { ConnectFirst, RowTable } from '../parts/layout.tsx';
import { useVerb } from '../parts/use-verb.ts';
import { route } from '../route.ts';
import { callVerb, epoch, offers } from '../store.ts';
import { Findings } from './findings.tsx';
import { Latency } from './latency.tsx';

const PAUSE_MS = 150;

/**
 * The user's budget and query, and the tools that a model would get for them (`names`; undefined for all). `isTooSmall`: the budget is too
 * small even for the search tools.
 */
function useBudget(total: number) {
  const [chosen, setBudget] = useState<number>();
  const [query, setQuery] = useState('');
  const [offered, setOffered] = useState<{ names: ReadonlySet<string>; tokens: number; isTooSmall?: boolean }>();
  const most = Math.ceil(total * 1.2);
  const budget = chosen ?? most;
  useEffect(() => {
    let isCurrent = true;
    const stop = systemClock.after(PAUSE_MS, () => {
      if (chosen === undefined && query === '') return setOffered(undefined);
      return void callVerb('catalogue.forModel', { budget, ...(query !== '' && { query }) }).then(
        ({ tools, tokens }) => isCurrent && setOffered({ names: new Set(tools.map(({ name }) => name)), tokens }),
        // Fails if the budget is too small even for the search tools.
        () => isCurrent && setOffered({ names: new Set(), tokens: 0, isTooSmall: true }),
      );
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [budget, query, epoch.value]);
  const { names, tokens = total, isTooSmall = false } = offered ?? {};
  return { budget, most, query, names, tokens, isTooSmall, setBudget, setQuery };
}

/** A bar with a length by the square root of the tokens, so that small tools stay visible beside a large one. */
function TokenBar({ row, most }: { row: TokenRow; most: number }) {
  const parts = [row.parts.name, row.parts.description, row.parts.schema];
  return (
    <span
      class="amount"
      style={{ '--v': `${Math.sqrt(row.tokens / Math.max(1, most)) * 100}%` }}
      role="img"
      aria-label={`name ${parts[0]}, description ${parts[1]}, schema ${parts[2]} tokens`}
    >
      {parts.map((part, at) => (
        <i key={String(at)} style={{ '--v': `${(part / Math.max(1, row.tokens)) * 100}%` }} />
      ))}
    </span>
  );
}

function TokenRows(props: {
  rows: readonly TokenRow[];
  isOut?: boolean;
  findings: ReadonlyMap<string | undefined, readonly LintRow[]>;
}) {
  const { rows, isOut = false, findings } = props;
  const [open, setOpen] = useState<string>();
  const most = Math.max(1, ...rows.map(({ tokens }) => tokens));
  const [current] = route.value.of;
  return (
    <>
      {rows.map((row) => {
        const own = findings.get(row.name) ?? [];
        const isOpen = open === row.name;
        return (
          <>
            <tr
              key={row.name}
              class={isOut ? 'out' : undefined}
              aria-selected={row.name === current}
              data-tool={row.name}
            >
              <td class="mono">
                <button
                  type="button"
                  class="disclose"
                  aria-expanded={isOpen}
                  data-row=""
                  onClick={() => setOpen(isOpen ? undefined : row.name)}
                >
                  {row.name}
                </button>
              </td>
              <td>
                {own.length > 0 && (
                  <Tag
                    tone={own.some(({ severity }) => severity === 'error') ? 'bad' : 'warn'}
                    symbol="warning"
                    text={own.length === 1 ? own[0]?.rule : `${own.length} findings`}
                  />
                )}
              </td>
              <td class="wide">
                <TokenBar row={row} most={most} />
              </td>
              <td class="num end">{row.tokens}</td>
            </tr>
            {isOpen &&
              row.fields.map((field) => (
                <tr key={`${row.name} ${field.name}`} class="sub">
                  <td class="mono">{field.name}</td>
                  <td />
                  <td class="wide">
                    <span class="amount" style={{ '--v': `${(field.tokens / most) * 100}%` }}>
                      <i style={{ '--v': '100%' }} />
                    </span>
                  </td>
                  <td class="num end">{field.tokens}</td>
                </tr>
              ))}
          </>
        );
      })}
    </>
  );
}

function groupByTool(findings: readonly LintRow[]): ReadonlyMap<string | undefined, readonly LintRow[]> {
  const byTool = new Map<string | undefined, LintRow[]>();
  for (const finding of findings) {
    const own = byTool.get(finding.name) ?? [];
    byTool.set(finding.name, own);
    own.push(finding);
  }
  return byTool;
}

export function CatalogueScreen() {
  const { result } = useVerb('catalogue.tokens', {}, offers.value.tool);
  const { tools: rows = [], total = 0 } = result ?? {};
  const { result: lint } = useVerb('catalogue.lint', {}, offers.value.tool);
  const findings = lint?.findings ?? [];
  const findingsOf = useMemo(() => groupByTool(findings), [lint]);
  const [order, setOrder] = useState('tokens');
  const { budget, most, query, names, tokens, isTooSmall, setBudget, setQuery } = useBudget(total);
  const sorted = rows.toSorted((left, right) =>
    order === 'tokens' ? right.tokens - left.tokens : left.name.localeCompare(right.name),
  );
  const inside = sorted.filter(({ name }) => names === undefined || names.has(name));
  const outside = sorted.filter(({ name }) => names !== undefined && !names.has(name));
  return (
    <section class="screen" data-screen="catalogue">
      <header class="head">
        <h1>Catalogue</h1>
        {rows.length > 0 && (
          <>
            <div class="facts">
              <span>{count(rows.length, 'tool')}</span>
              <span>
                <b>{total.toLocaleString('en-US')}</b> tokens
              </span>
            </div>
            <span class="legend push">
              {['name', 'description', 'schema'].map((part) => (
                <span key={part}>
                  <i />
                  {part}
                </span>
              ))}
            </span>
            <Segments
              label="Order"
              current={order}
              onChoose={setOrder}
              items={[
                { id: 'tokens', title: 'Tokens' },
                { id: 'name', title: 'Name' },
              ]}
            />
          </>
        )}
      </header>
      <div class="panes" data-state={rows.length === 0 ? 'empty' : undefined}>
        <div class="pane">
          {result === undefined ? (
            <Loading what="tools" />
          ) : rows.length === 0 ? (
            offers.value.tool.length === 0 && (
              <EmptyState
                symbol="catalogue"
                title="No tools yet"
                text="Connect a server to see how many tokens the definitions of its tools cost a model, field by field."
              >
                <ConnectFirst />
              </EmptyState>
            )
          ) : (
            <>
              <div class="budget">
                <label for="budget">Token budget</label>
                <input
                  id="budget"
                  type="range"
                  min={0}
                  max={Math.max(1, most)}
                  value={budget}
                  aria-label="Budget in tokens"
                  style={{ '--v': `${(budget / Math.max(1, most)) * 100}%` }}
                  onInput={(event) => setBudget(Number(event.currentTarget.value))}
                />
                <span class="num">{`${budget.toLocaleString('en-US')} tokens`}</span>
                <SearchInput
                  name="What the user asks"
                  placeholder="What the user asks, for example: refund an order"
                  value={query}
                  onValue={setQuery}
                />
                <p aria-live="polite">
                  {isTooSmall ? (
                    'This budget is too small: even the search tools need more tokens.'
                  ) : (
                    <>
                      A model with this budget gets <b>{count(inside.length, 'tool')}</b>, {count(tokens, 'token')}
                      {query !== '' && ', the best for this request first'}.
                    </>
                  )}
                </p>
              </div>
              <RowTable heads={['Tool', 'Lint', ['Tokens', 'wide'], ['Number of tokens', 'sr']]}>
                <TokenRows rows={inside} findings={findingsOf} />
                {outside.length > 0 && (
                  <tr class="beyond">
                    <td colSpan={4}>
                      Over the budget: left out of the request. The model can find these with a search tool.
                    </td>
                  </tr>
                )}
                <TokenRows rows={outside} isOut findings={findingsOf} />
              </RowTable>
            </>
          )}
        </div>
        {rows.length > 0 && (
          <div class="pane">
            <Latency />
            {lint !== undefined && <Findings findings={findings} />}
          </div>
        )}
      </div>
    </section>
  );
}
