/** Lint findings, grouped by rule because many tools break a rule in the same way. Errors first. */
import type { LintRow } from '../../protocol-rows.ts';
import { EmptyState, Icon, Tag, WithCode } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import { linkTo, route } from '../route.ts';

/** Displayed findings per rule; the rest is only counted. */
const MAX_SHOWN = 100;

function Rule({ rule, findings }: { rule: string; findings: readonly LintRow[] }) {
  const [first] = findings;
  if (first === undefined) return null;
  const isSame = findings.every(({ found }) => found === first.found);
  const isError = first.severity === 'error';
  return (
    <article class="finding" data-tone={isError ? 'bad' : 'warn'} data-rule={rule}>
      <Icon name={isError ? 'failed' : 'warning'} />
      <header>
        {isSame && (
          <strong>
            <WithCode text={sentence(first.found)} />
          </strong>
        )}
        <span class="rule-id">{rule}</span>
      </header>
      <ul class={isSame ? 'facts' : undefined}>
        {findings.slice(0, MAX_SHOWN).map((one) => (
          <li key={`${one.server} ${one.item} ${one.found}`}>
            <Place finding={one} />
            {!isSame && (
              <>
                {' '}
                <WithCode text={one.found} />
              </>
            )}
          </li>
        ))}
        {findings.length > MAX_SHOWN && <li class="dim">{`and ${findings.length - MAX_SHOWN} more`}</li>}
      </ul>
      <p>
        <WithCode text={sentence(first.fix)} />
      </p>
    </article>
  );
}

function Place({ finding: { name, server, item } }: { finding: LintRow }) {
  if (name === undefined) return <code>{`${server} ${item}`}</code>;
  return (
    <a href={linkTo('tools', server, item.replace(/^tool /, ''))}>
      <code>{name}</code>
    </a>
  );
}

export function Findings({ findings }: { findings: readonly LintRow[] }) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const [current] = route.value.of;
  const first = (wanted: (one: LintRow) => boolean) => (left: LintRow, right: LintRow) =>
    Number(wanted(right)) - Number(wanted(left));
  const sorted = findings
    .toSorted(first(({ severity }) => severity === 'error'))
    .toSorted(first(({ name }) => name === current));
  return (
    <section aria-label="Lint">
      <div class="bar">
        <h2>Lint</h2>
        {errors > 0 && <Tag tone="bad" symbol="failed" text={errors} />}
        {findings.length > errors && <Tag tone="warn" symbol="warning" text={findings.length - errors} />}
      </div>
      {findings.length === 0 && (
        <EmptyState
          symbol="check"
          title="No findings"
          text="Every tool and every parameter has a description, and no names clash."
        />
      )}
      <div class="findings">
        {[...new Set(sorted.map(({ rule }) => rule))].map((rule) => (
          <Rule key={rule} rule={rule} findings={sorted.filter((one) => one.rule === rule)} />
        ))}
      </div>
    </section>
  );
}
