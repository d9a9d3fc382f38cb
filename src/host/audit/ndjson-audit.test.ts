import {
  appendFile,
  type FileHandle,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from '../policy/rules.ts';
import type { AuditRecord } from './audit.ts';
import { CHAIN_START, type Checkpoint, chainRecord } from './hash-chain.ts';
import { type NdjsonAudit, ndjsonAudit } from './ndjson-audit.ts';
import { type AuditVerdict, readAudit, verifyAudit } from './verify-audit.ts';

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

const textOf = (text: string): AuditRecord => record('long', { act: act({ arguments: { text } }) });

async function written(path: string, count: number): Promise<NdjsonAudit> {
  const audit = ndjsonAudit(path);
  await Promise.all(Array.from({ length: count }, (_, i) => audit.write(record(`act-${i}`))));
  return audit;
}

const linesIn = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

describe('an audit file', () => {
  test('has one line per record, in order, and is readable only by its owner', async () => {
    verifies('TOOL-58');
    await using at = await place();
    const audit = await written(at.path, 3);
    await audit.close();
    const lines = await linesIn(at.path);
    expect(lines.map((line) => (JSON.parse(line) as AuditRecord).id)).toEqual(['act-0', 'act-1', 'act-2']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ n: 1, prev: '0'.repeat(64) });
    expect((await stat(at.path)).mode & 0o777).toBe(0o600);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 3 } });
  });

  test('is continued by the next process', async () => {
    await using at = await place();
    const first = await written(at.path, 2);
    const checkpoint = await first.checkpoint();
    await first.close();
    const warnings: string[] = [];
    const second = ndjsonAudit(at.path, { onWarning: (warning) => warnings.push(warning) });
    for (const id of ['a', 'b']) await second.write(record(id));
    await second.close();
    expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: true, at: { n: 4 } });
    expect(warnings).toEqual([]);
  });

  test('is locked by one writer, also within a process, until that writer closes it', async () => {
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

  test('has a checkpoint after it was closed, and is not locked again', async () => {
    await using at = await place();
    const first = await written(at.path, 2);
    await first.close();
    const heads = await Promise.all([first.checkpoint(), first.checkpoint()]);
    expect(heads).toMatchObject([{ n: 2 }, { n: 2 }]);
    const second = ndjsonAudit(at.path);
    await second.write(record('x'));
    await second.close();
    expect(await verifyAudit(at.path, { checkpoint: heads[0] })).toMatchObject({ ok: true, at: { n: 3 } });
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

  test('opens despite a lock that was left behind by two killed processes', async () => {
    await using at = await place();
    const dead = JSON.stringify({ pid: 0x7fffffff, since: 1, id: 'x' });
    for (const lock of ['lock', 'lock.breaking']) await writeFile(`${at.path}.${lock}`, dead);
    await (await written(at.path, 1)).close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true });
  });

  test('respects the lock of a running process, and a lock without an owner', async () => {
    await using at = await place();
    for (const text of [JSON.stringify({ pid: process.ppid, since: 1, id: 'x' }), '', 'null']) {
      await writeFile(`${at.path}.lock`, text);
      await expect(written(at.path, 1)).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    }
  });

  test('is truncated by an unfinished last line only', async () => {
    await using at = await place();
    await (await written(at.path, 2)).close();
    await appendFile(at.path, '{"act":{"arg');
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 3, why: 'the line is cut off' });
    const warnings: string[] = [];
    const audit = ndjsonAudit(at.path, { onWarning: (warning) => warnings.push(warning) });
    await audit.write(record('next'));
    await audit.close();
    expect(warnings).toHaveLength(1);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 3 } });
  });

  test('with a tampered last record is not continued', async () => {
    await using at = await place();
    await (await written(at.path, 2)).close();
    const changed = (await readFile(at.path, 'utf8')).replaceAll('act-1', 'act-9');
    await writeFile(at.path, changed);
    await expect(written(at.path, 1)).rejects.toThrow('the record was changed');
    expect(await readFile(at.path, 'utf8')).toBe(changed);
  });

  test('a file that another program wrote to is not written to', async () => {
    await using at = await place();
    const audit = await written(at.path, 1);
    await appendFile(at.path, '{}\n');
    await expect(audit.write(record('x'))).rejects.toThrow('another program has written to it');
    await audit.close();
  });

  test.each([
    ['removed', (path: string) => rm(path), 'it was removed while it was written to'],
    [
      'replaced by a copy of itself',
      async (path: string) => {
        await writeFile(`${path}.copy`, await readFile(path));
        await rename(`${path}.copy`, path);
      },
      'it was replaced by another file',
    ],
  ])('that was %s while in use rejects further records', async (_how, change, why) => {
    await using at = await place();
    const audit = ndjsonAudit(at.path);
    const gate = new GateKeeper({ policy: [rules.allow({})], audit });
    let ran = 0;
    const run = async (): Promise<void> => void ran++;
    await gate.pass(act(), run);
    await change(at.path);
    await expect(audit.write(record('x'))).rejects.toMatchObject({
      code: 'MCP_HOST_FILE',
      message: expect.stringContaining(why),
    });
    await expect(gate.pass(act(), run)).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(ran).toBe(1);
    await gate.close();
  });

  test('that was moved away and restored is continued', async () => {
    await using at = await place();
    const audit = await written(at.path, 1);
    await rename(at.path, `${at.path}.away`);
    await expect(audit.write(record('x'))).rejects.toThrow('it was removed');
    await rename(`${at.path}.away`, at.path);
    await audit.write(record('y'));
    await audit.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 2 } });
  });

  test('rejects a record that is too large to be read again', async () => {
    await using at = await place();
    const audit = await written(at.path, 1);
    const large = act({ arguments: { text: 'x'.repeat(2 ** 24) } });
    await expect(audit.write(record('x', { act: large }))).rejects.toThrow('a record is larger than 16 MiB');
    await audit.write(record('y'));
    await audit.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 2 } });
  });

  test('rejects an invalid record alone, and stores the others of the same turn', async () => {
    await using at = await place();
    const audit = ndjsonAudit(at.path);
    const within: Record<string, unknown> = {};
    within['within'] = within;
    const outcomes = await Promise.allSettled([
      audit.write(record('a')),
      audit.write(record('large', { act: textOf('x'.repeat(2 ** 24)).act })),
      audit.write(record('endless', { act: act({ arguments: within as JsonObject }) })),
      audit.write(record('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await audit.close();
    const kept = (await linesIn(at.path)).map((line) => (JSON.parse(line) as AuditRecord).id);
    expect(kept).toEqual(['a', 'b']);
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 2 } });
  });

  test('the size of a record is counted in bytes, and the largest that is accepted can be continued', async () => {
    await using at = await place();
    const first = ndjsonAudit(at.path);
    await first.write(record('a'));
    const frame = Buffer.byteLength(chainRecord(textOf(''), await first.checkpoint()).line) + 1;
    const room = 2 ** 24 - frame;
    // Each character has two bytes, so counting characters would give half the size.
    const largest = 'é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2);
    await expect(first.write(textOf(`${largest}x`))).rejects.toThrow('a record is larger than 16 MiB');
    await first.write(textOf(largest));
    await first.close();
    // Simulates a process that was killed while it wrote the next record.
    await appendFile(at.path, 'x'.repeat(2 ** 24 - 1));
    const second = ndjsonAudit(at.path, { onWarning: () => undefined });
    await second.write(record('b'));
    await second.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 3 } });
  });

  test('is unchanged after a write that fails half way', async () => {
    await using at = await place();
    const audit = await written(at.path, 1);
    await using other = await open(at.path, 'r');
    const handles = Object.getPrototypeOf(other) as FileHandle; // all file handles share a prototype
    const failing = vi.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: FileHandle, bytes) {
      await this.write(Buffer.from(bytes as Uint8Array).subarray(0, 20)); // the audit appends bytes
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    const outcomes = await Promise.allSettled([audit.write(record('x')), audit.write(record('y'))]);
    failing.mockRestore();
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'MCP_HOST_FILE' } },
      { status: 'rejected', reason: { code: 'MCP_HOST_FILE' } },
    ]);
    expect(await linesIn(at.path)).toHaveLength(1);
    await audit.write(record('z'));
    await audit.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 2 } });
  });

  test('is read after pending writes', async () => {
    await using at = await place();
    const audit = ndjsonAudit(at.path);
    const writing = audit.write(record('a'));
    expect(await audit.read('a')).toHaveLength(1);
    await writing;
    await audit.close();
  });

  test('in a folder that is not writable rejects records', async () => {
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

  test('has the records of an earlier process', async () => {
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

  test('that does not exist cannot be verified', async () => {
    await expect(verifyAudit('/no/such/file')).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
  });

  test('a folder in the place of an audit file is named as the reason why it cannot be verified', async () => {
    await using at = await place();
    await expect(verifyAudit(dirname(at.path))).rejects.toMatchObject({
      code: 'MCP_HOST_FILE',
      message: expect.stringContaining('not a regular file'),
    });
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

  test.each([...tricks])('by %s a record is detected, and the first bad record named', async (name, trick) => {
    await using at = await place();
    await (await written(at.path, COUNT)).close();
    const lines = await linesIn(at.path);
    for (let nth = 0; nth < COUNT - 1; nth++) {
      await writeFile(at.path, `${trick(lines, nth).join('\n')}\n`);
      const verdict = await verifyAudit(at.path);
      expect(verdict).toMatchObject({ ok: false, line: nth + (name === 'repeating' ? 2 : 1) });
    }
  });

  test('by removing several records is detected, with their number', async () => {
    await using at = await place();
    await (await written(at.path, COUNT)).close();
    const lines = await linesIn(at.path);
    await writeFile(at.path, `${lines.toSpliced(4, 3).join('\n')}\n`);
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 5, why: '3 records before this one are missing' });
    await writeFile(at.path, `${lines.toSpliced(4, 1).join('\n')}\n`);
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 5, why: 'the record before this one is missing' });
  });

  test('by truncation is detected with a checkpoint, and within a line without one', async () => {
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
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 15, why: 'the line is cut off' });
  });

  test('by rewriting everything is detected with a checkpoint', async () => {
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

  test('with any byte is detected', async () => {
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

test('readAudit() skips tampered records', async () => {
  await using at = await place();
  await (await written(at.path, 3)).close();
  const lines = await linesIn(at.path);
  await writeFile(at.path, `${lines.with(1, (lines[1] ?? '').replace('act-1', 'act-9')).join('\n')}\n`);
  const ids: string[] = [];
  for await (const { id } of readAudit(at.path)) ids.push(id);
  expect(ids).toEqual(['act-0', 'act-2']);
});

describe('an audit with a key', () => {
  const key = 'k'.repeat(32);

  async function keyed(path: string, count: number): Promise<void> {
    const audit = ndjsonAudit(path, { key });
    for (let i = 0; i < count; i++) await audit.write(record(`act-${i}`));
    await audit.close();
  }

  test('is verified, read and continued with the same key', async () => {
    await using at = await place();
    await keyed(at.path, 2);
    await keyed(at.path, 1);
    expect(await verifyAudit(at.path, { key })).toMatchObject({ ok: true, at: { n: 3 } });
    const ids: string[] = [];
    for await (const { id } of readAudit(at.path, { key: Buffer.from(key) })) ids.push(id);
    expect(ids).toEqual(['act-0', 'act-1', 'act-0']);
    const audit = ndjsonAudit(at.path, { key });
    expect(await audit.read('act-1')).toHaveLength(1);
    await audit.close();
  });

  test('cannot be rebuilt without the key', async () => {
    await using at = await place();
    await keyed(at.path, 2);
    const forged = chainRecord(record('forged'), CHAIN_START).line;
    const { hash, ...rest } = JSON.parse(forged) as Record<string, unknown>;
    const renamed = canonicalJson({ ...rest, mac: hash });
    const otherKey = chainRecord(record('forged'), CHAIN_START, 'x'.repeat(32)).line;
    for (const [line, why] of [
      [forged, 'written without a key'],
      [renamed, 'the record was changed, or written with another key'],
      [otherKey, 'the record was changed, or written with another key'],
    ]) {
      await writeFile(at.path, `${line}\n`);
      expect(await verifyAudit(at.path, { key })).toEqual({ ok: false, line: 1, why });
      await expect(keyed(at.path, 1)).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    }
  });

  test('is neither verified, read nor continued without the key', async () => {
    await using at = await place();
    await keyed(at.path, 1);
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 1, why: 'written with a key; pass the same key' });
    await expect(written(at.path, 1)).rejects.toThrow('written with a key');
    await expect(readAudit(at.path).next()).rejects.toThrow('pass the same key to read it');
  });

  test('needs a key of 32 bytes', () => {
    expect(() => ndjsonAudit('x', { key: 'short' })).toThrow('it has 5 bytes; give at least 32');
    expect(() => ndjsonAudit('x', { key: 'é'.repeat(16) })).not.toThrow();
  });
});

describe('a line with the same value in another spelling', () => {
  test.each([
    ['a key that stands twice', (line: string) => line.replace('{', '{"id":"act-9",')],
    ['a number spelled differently', (line: string) => line.replace('"n":1,', '"n":1.0,')],
    ['an escaped letter', (line: string) => line.replace('"act-0"', '"\\u0061ct-0"')],
    ['white space', (line: string) => line.replace('"n":1,', '"n": 1,')],
    ['another order', (line: string) => `${line.replace('"n":1,', '').slice(0, -1)},"n":1}`],
  ])('is not accepted: %s', async (_name, respell) => {
    await using at = await place();
    await (await written(at.path, 1)).close();
    const [line = ''] = await linesIn(at.path);
    const respelled = respell(line);
    expect(respelled).not.toBe(line);
    await writeFile(at.path, `${respelled}\n`);
    expect(await verifyAudit(at.path)).toMatchObject({
      ok: false,
      line: 1,
      why: expect.stringContaining('canonical form'),
    });
  });
});

describe('the anchor of an audit', () => {
  function anchored(path: string, every: { records?: number; seconds?: number }, fails = 0) {
    const clock = new HeldClock();
    const heads: Checkpoint[] = [];
    const warnings: string[] = [];
    const anchor = async (head: Checkpoint): Promise<void> => {
      if (fails-- > 0) throw new Error('no connection');
      heads.push(head);
    };
    const options = { anchor, anchorEvery: every, clock, onWarning: (text: string) => warnings.push(text) };
    return { audit: ndjsonAudit(path, options), clock, heads, warnings };
  }

  test('gets the head after the configured number of records, and on close', async () => {
    await using at = await place();
    const { audit, heads } = anchored(at.path, { records: 2 });
    for (let i = 0; i < 5; i++) await audit.write(record(`act-${i}`));
    await audit.close();
    expect(heads.map(({ n }) => n)).toEqual([2, 4, 5]);
    for (const checkpoint of heads) expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: true });
  });

  test('is not called for a record that was rejected', async () => {
    await using at = await place();
    const { audit, heads } = anchored(at.path, { records: 1 });
    await expect(audit.write(textOf('x'.repeat(2 ** 24)))).rejects.toThrow('a record is larger than 16 MiB');
    await audit.close();
    expect(heads).toEqual([]);
  });

  test('gets the head after the configured number of seconds', async () => {
    await using at = await place();
    const { audit, clock, heads } = anchored(at.path, { seconds: 10 });
    await audit.write(record('a'));
    await audit.write(record('b'));
    await clock.pass(9_999);
    expect(heads).toEqual([]);
    await clock.pass(1);
    await soon(() => expect(heads.map(({ n }) => n)).toEqual([2]));
    await audit.close();
    expect(heads).toHaveLength(1);
  });

  test('that fails causes a warning, and the next anchor covers the head', async () => {
    await using at = await place();
    const { audit, heads, warnings } = anchored(at.path, { records: 1 }, 1);
    await audit.write(record('a'));
    await soon(() => expect(warnings).toEqual(['The audit could not be anchored at record 1: no connection']));
    await audit.close();
    expect(heads.map(({ n }) => n)).toEqual([1]);
  });

  test('detects a chain that was rebuilt without a key', async () => {
    await using at = await place();
    const { audit, heads } = anchored(at.path, { records: 3 });
    for (let i = 0; i < 3; i++) await audit.write(record(`act-${i}`));
    await audit.close();
    await rm(at.path);
    await (await written(at.path, 4)).close();
    expect(await verifyAudit(at.path, { checkpoint: heads[0] })).toMatchObject({ ok: true });
    await rm(at.path);
    const forged = ndjsonAudit(at.path);
    for (let i = 0; i < 4; i++) await forged.write(record('forged'));
    await forged.close();
    expect(await verifyAudit(at.path, { checkpoint: heads[0] })).toMatchObject({ ok: false, line: 3 });
  });
});
