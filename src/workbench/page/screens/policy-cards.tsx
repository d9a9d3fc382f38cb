/** What the policy keeps: approvals, the audit log, and the lock with what changed since it was approved. */
import type { LockRow } from '../../protocol-policy.ts';
import { Diff } from '../parts/diff.tsx';
import { Button, Pairs, Tag } from '../parts/elements.tsx';
import { brief, count, sentence } from '../parts/format.ts';
import { Card } from '../parts/layout.tsx';
import { useAsked } from '../parts/use-asked.ts';
import { newestDecision, notice, send } from '../store.ts';

export function LockCard() {
  const { said, again } = useAsked('lock.diff', {}, newestDecision.value);
  const { items = [], file } = said ?? {};
  const open = items.filter(({ status }) => status === 'changed' || status === 'suspicious');
  const unpinned = items.filter(({ status }) => status === 'new').length;
  const accept = async (item: LockRow): Promise<void> => {
    await send('lock.accept', { kind: item.kind, name: item.name, hash: item.hash });
    again();
  };
  return (
    <Card
      title="Lock"
      beside={
        <>
          {said !== undefined && (
            <Tag
              tone={open.length > 0 ? 'warn' : 'ok'}
              symbol={open.length > 0 ? 'warning' : 'check'}
              text={open.length > 0 ? count(open.length, 'change') : 'nothing changed'}
            />
          )}
          <span class="dim">{file === undefined ? 'in memory' : file}</span>
        </>
      }
    >
      {items.length === 0 && (
        <p class="in dim">What a server offers is pinned when you first allow it. Differences appear here.</p>
      )}
      {open.slice(0, 50).map((item) => (
        <div key={`${item.kind}${item.name}`} class="lock-row">
          <div class="facts">
            <code>{item.name}</code>
            <span class="dim">{item.kind}</span>
            <Tag tone="bad" text={item.status} />
            <Button small onClick={() => void accept(item)} text="Accept" />
          </div>
          {item.changes.map((line) => {
            const [, what, before, after] = /^(.*) changed from "(.*)" to "(.*)"$/s.exec(line) ?? [];
            return before === undefined || after === undefined ? (
              <p class="problem" key={line}>
                {sentence(line)}
              </p>
            ) : (
              <Diff key={line} before={before} after={after} label={`How ${what} changed`} />
            );
          })}
        </div>
      ))}
      {items.length > 0 && (
        <footer>{`${items.length - open.length - unpinned} of ${count(items.length, 'definition')} are pinned as approved${unpinned > 0 ? `, ${unpinned} are not pinned yet` : ''}.`}</footer>
      )}
    </Card>
  );
}

export function ApprovalsCard() {
  const { said, again } = useAsked('policy.approvals', {}, newestDecision.value);
  const rows = said?.approvals ?? [];
  const revoke = async (id: string): Promise<void> => {
    if ((await send('policy.revoke', { id }))?.revoked === true) notice.value = 'Revoked. You are asked again.';
    again();
  };
  return (
    <Card title="Approvals" beside={<Tag>{rows.length}</Tag>}>
      {rows.length === 0 ? (
        <p class="in dim">Nothing is remembered. “Always” in a question makes an approval.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li class="approval" key={row.id}>
              <code>{`${row.kind} ${brief(row.name, 60)}`}</code>
              <span class="dim">{`${row.anyArguments ? 'any arguments' : 'these arguments'}, ${row.until === 'session' ? 'this session' : `until ${new Date(row.until).toLocaleString('en-GB')}`}`}</span>
              <Button small onClick={() => void revoke(row.id)} text="Revoke" />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

export function AuditCard() {
  const { said, again } = useAsked('audit.verify', {});
  return (
    <Card
      title="Audit"
      beside={
        said !== undefined && (
          <Tag
            tone={said.ok ? 'ok' : 'bad'}
            symbol={said.ok ? 'check' : 'failed'}
            text={said.ok ? 'chain intact' : 'chain broken'}
          />
        )
      }
      actions={<Button small onClick={again} text="Verify" />}
    >
      <div class="in" aria-live="polite">
        {said !== undefined && (
          <Pairs
            rows={[
              ['Records', <span class="num">{said.records}</span>],
              ['File', said.file === undefined ? 'in memory, until the workbench ends' : <code>{said.file}</code>],
              ['Fault', said.why],
            ]}
          />
        )}
      </div>
    </Card>
  );
}
