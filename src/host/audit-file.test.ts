import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act } from '../../test/support/acts.ts';
import { verifies } from '../../test/support/verifies.ts';
import type { AuditRecord } from './audit.ts';
import { type NdjsonAudit, ndjsonAudit } from './audit-file.ts';
import { type AuditVerdict, readAudit, verifyAudit } from './audit-verify.ts';
import { GateKeeper } from './gate-keeper.ts';
import { rules } from './rules.ts';

async function place(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-audit-'));
  return { path: join(folder, 'audit.ndjson'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const record = (id: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  id,
  at: 1,
  phase: 'decided',
  act: act({ arguments: { text: 'one\ntwo\u2028three' } }),
  decision: { verdict: 'allow', rule: 'allow everything', why: 'it applies to everything' },
  allowed: true,
  binding: 'b',
  ...more,
});

async function written(path: string, count: number): Promise<NdjsonAudit> {
  const audit = ndjsonAudit(path);
  await Promise.all(Array.from({ length: count }, (_, i) => audit.write(record(`act-${i}`))));
  return audit;
}

const linesIn = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

describe('an audit file', () => {
  test('is a line for each record, in order, for its owner only', async () => {
    verifies('TOOL-58');
    await using at = await place();
    const audit = await written(at.path, 3);
    await audit.close();
    const lines = await linesIn(at.path);
    expect(lines.map((line) => (JSON.parse(line) as AuditRecord).id)).toEqual(['act-0', 'act-1', 'act-2']);
    expect((await stat(at.path)).mode & 0o777).toBe(0o600);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 3 } });
  });

  test('is continued by the next process', async () => {
    await using at = await place();
    const first = await written(at.path, 2);
    const checkpoint = await first.checkpoint();
    await first.close();
    const second = await written(at.path, 2);
    await second.close();
    expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: true, at: { n: 4 } });
  });

  test('is written by one at a time, also within a process, and by the next when the first is done', async () => {
    await using at = await place();
    const first = await written(at.path, 1);
    const second = ndjsonAudit(at.path);
    await expect(second.write(record('x'))).rejects.toMatchObject({
      code: 'MCP_HOST_FILE',
      message: expect.stringContaining('another process writes to it'),
    });
    await first.close();
    await expect(first.write(record('y'))).rejects.toThrow('the audit was closed');
    await second.write(record('x'));
    await second.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 2 } });
  });

  test.each([
    ['a process that is gone', { pid: 2 ** 22 + 1, since: 1, id: 'x' }],
    ['an earlier process with our number', { pid: process.pid, since: 1, id: 'x' }],
  ])('takes over the lock of %s', async (_whose, holder) => {
    await using at = await place();
    await writeFile(`${at.path}.lock`, JSON.stringify(holder));
    const audit = await written(at.path, 1);
    await audit.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true });
  });

  test('takes over a lock although who wanted to before was killed while doing so', async () => {
    await using at = await place();
    const dead = JSON.stringify({ pid: 0x7fffffff, since: 1, id: 'x' });
    for (const lock of ['lock', 'lock.breaking']) await writeFile(`${at.path}.${lock}`, dead);
    await (await written(at.path, 1)).close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true });
  });

  test('respects the lock of a process that runs, and one that says nothing', async () => {
    await using at = await place();
    for (const text of [JSON.stringify({ pid: process.ppid, since: 1, id: 'x' }), '', 'null']) {
      await writeFile(`${at.path}.lock`, text);
      await expect(written(at.path, 1)).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    }
  });

  test('loses the line that was never finished, and nothing else', async () => {
    await using at = await place();
    await (await written(at.path, 2)).close();
    await appendFile(at.path, '{"act":{"arg');
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 3, why: 'it is cut off' });
    const warnings: string[] = [];
    const audit = ndjsonAudit(at.path, { onWarning: (warning) => warnings.push(warning) });
    await audit.write(record('next'));
    await audit.close();
    expect(warnings).toHaveLength(1);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 3 } });
  });

  test('whose end was changed is not continued', async () => {
    await using at = await place();
    await (await written(at.path, 2)).close();
    const changed = (await readFile(at.path, 'utf8')).replaceAll('act-1', 'act-9');
    await writeFile(at.path, changed);
    await expect(written(at.path, 1)).rejects.toThrow('it was changed');
    expect(await readFile(at.path, 'utf8')).toBe(changed);
  });

  test('that somebody else wrote to is not written to', async () => {
    await using at = await place();
    const audit = await written(at.path, 1);
    await appendFile(at.path, '{}\n');
    await expect(audit.write(record('x'))).rejects.toThrow('somebody else has written to it');
    await audit.close();
  });

  test('in a place that cannot be written to lets nothing happen', async () => {
    await using at = await place();
    const gate = new GateKeeper({
      policy: [rules.allow({})],
      audit: ndjsonAudit(join(at.path, 'no', 'such', 'place')),
    });
    let ran = false;
    const passing = gate.pass(act(), async () => {
      ran = true;
    });
    await expect(passing).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(ran).toBe(false);
    await gate.close();
  });

  test('explains what an earlier process did', async () => {
    await using at = await place();
    const first = new GateKeeper({ policy: [rules.allow({})], audit: ndjsonAudit(at.path) });
    const id = await first.pass(act({ arguments: { password: 'x' } }), async (permit) => permit.id);
    await first.close();
    const second = new GateKeeper({ policy: [], audit: ndjsonAudit(at.path) });
    expect(await second.explain(id)).toMatchObject([
      { phase: 'decided', act: { arguments: { password: '[masked]' } } },
      { phase: 'done' },
    ]);
    await second.close();
  });

  test('that is not there cannot be verified', async () => {
    await expect(verifyAudit('/no/such/file')).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
  });
});

describe('tampering', () => {
  const COUNT = 20;
  type Trick = (lines: string[], at: number) => string[];
  const tricks = new Map<string, Trick>([
    ['deleting', (lines, at) => lines.toSpliced(at, 1)],
    ['editing', (lines, at) => lines.with(at, (lines[at] ?? '').replace('notes', 'other').replace('"at":1', '"at":2'))],
    ['swapping', (lines, at) => [...lines.slice(0, at), lines[at + 1] ?? '', lines[at] ?? '', ...lines.slice(at + 2)]],
    ['repeating', (lines, at) => lines.toSpliced(at + 1, 0, lines[at] ?? '')],
    ['emptying', (lines, at) => lines.with(at, '')],
    ['putting in', (lines, at) => lines.toSpliced(at, 0, JSON.stringify(record('forged')))],
  ]);

  test.each([...tricks])('by %s a record is found, and the first bad record named', async (name, trick) => {
    await using at = await place();
    await (await written(at.path, COUNT)).close();
    const lines = await linesIn(at.path);
    for (let nth = 0; nth < COUNT - 1; nth++) {
      await writeFile(at.path, `${trick(lines, nth).join('\n')}\n`);
      const verdict = await verifyAudit(at.path);
      expect(verdict).toMatchObject({ ok: false, line: nth + (name === 'repeating' ? 2 : 1) });
    }
  });

  test('by cutting off the end is found with a checkpoint, and in the middle of a line without', async () => {
    await using at = await place();
    const audit = await written(at.path, COUNT);
    const checkpoint = await audit.checkpoint();
    await audit.close();
    const lines = await linesIn(at.path);
    await writeFile(at.path, `${lines.slice(0, 15).join('\n')}\n`);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 15 } });
    expect(await verifyAudit(at.path, { checkpoint })).toEqual({
      ok: false,
      line: 16,
      why: 'the end is missing: there were 20 records, and there are 15',
    });
    await truncate(at.path, (await stat(at.path)).size - 5);
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 15, why: 'it is cut off' });
  });

  test('by writing everything anew is found with a checkpoint', async () => {
    await using at = await place();
    const audit = await written(at.path, 3);
    const checkpoint = await audit.checkpoint();
    await audit.close();
    await rm(at.path);
    const forged = ndjsonAudit(at.path);
    for (let i = 0; i < 4; i++) await forged.write(record('forged'));
    await forged.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true });
    expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: false, line: 3 });
  });

  test('with any byte is found', async () => {
    await using at = await place();
    await (await written(at.path, 3)).close();
    const bytes = await readFile(at.path);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 127 }),
        async (i, flip) => {
          const changed = Uint8Array.from(bytes);
          changed[i] = (changed[i] ?? 0) ^ flip;
          await writeFile(at.path, changed);
          const verdict: AuditVerdict = await verifyAudit(at.path);
          expect(verdict.ok).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('records that were changed are not read', async () => {
  await using at = await place();
  await (await written(at.path, 3)).close();
  const lines = await linesIn(at.path);
  await writeFile(at.path, `${lines.with(1, (lines[1] ?? '').replace('act-1', 'act-9')).join('\n')}\n`);
  const ids: string[] = [];
  for await (const { id } of readAudit(at.path)) ids.push(id);
  expect(ids).toEqual(['act-0', 'act-2']);
});
