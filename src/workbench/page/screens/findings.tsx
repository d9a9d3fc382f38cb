/** What lint finds in the definitions, errors first. */
import type { LintRow } from '../../protocol-rows.ts';
import { EmptyState, Icon, Tag, WithCode } from '../parts/elements.tsx';
import { sentence } from '../parts/format.ts';
import { route } from '../route.ts';

export function Findings({ findings }: { findings: readonly LintRow[] }) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const [current] = route.value.of;
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
          title="Nothing found"
          text="Every tool has a description, every parameter says what it is for, and no name clashes."
        />
      )}
      <div class="findings">
        {findings
          .toSorted(
            (left, right) =>
              Number(right.name === current) - Number(left.name === current) ||
              Number(right.severity === 'error') - Number(left.severity === 'error'),
          )
          .slice(0, 300)
          .map((one) => (
            <article
              class="finding"
              key={`${one.rule} ${one.server} ${one.item} ${one.found}`}
              data-tone={one.severity === 'error' ? 'bad' : 'warn'}
              data-rule={one.rule}
            >
              <Icon name={one.severity === 'error' ? 'failed' : 'warning'} />
              <header>
                <code>{one.name ?? `${one.server} ${one.item}`}</code>
                <span class="rule-id">{one.rule}</span>
              </header>
              <p>
                <WithCode text={sentence(one.found)} />
              </p>
              <p>
                <WithCode text={sentence(one.fix)} />
              </p>
            </article>
          ))}
      </div>
    </section>
  );
}
