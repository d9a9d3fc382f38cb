/** Tests durability of records (fdatasync), and verification of audit files against checkpoints. */
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { soon } from '../../../test/support/soon.ts';
import type { AuditRecord } from './audit.ts';
import { type Checkpoint, chainRecord } from './hash-chain.ts';
import { memoryAudit } from './memory-audit.ts';
import { ndjsonAudit } from './ndjson-audit.ts';
import { readAudit, verifyAudit } from './verify-audit.ts';

async function place(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-audit-'));
  return { path: join(folder, 'audit.ndjson'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const record = (id: string, phase: AuditRecord['phase'] = 'decided'): AuditRecord => ({
  ...{ id, at: 1, phase, act: act(), allowed: true, binding: 'b' },
  decision: { verdict: 'allow', rule: 'allow everything', why: 'it applies to everything' },
});

/** The prototype of all file handles. */
async function fileMethods(path: string): Promise<FileHandle> {
  await using file = await open(path, 'a');
  return Object.getPrototypeOf(file) as FileHandle;
}

afterEach(() => vi.restoreAllMocks());

describe('a record', () => {
  test('of a decision resolves after fdatasync, also in a batch, and a record of an end without it', async () => {
    await using at = await place();
    const syncs: (() => void)[] = [];
    vi.spyOn(await fileMethods(at.path), 'datasync').mockImplementation(
      () => new Promise((resolve) => void syncs.push(() => resolve())),
    );
    const audit = ndjsonAudit(at.path);
    await audit.write(record('a', 'done'));
    expect(syncs).toEqual([]);
    const written: string[] = [];
    const both = [record('b', 'done'), record('c')].map(async (one) => {
      await audit.write(one);
      written.push(one.id);
    });
    await soon(() => expect(syncs).toHaveLength(1));
    expect((await readFile(at.path, 'utf8')).split('\n')).toHaveLength(4);
    expect(written).toEqual([]);
    syncs[0]?.();
    await Promise.all(both);
    expect(written).toEqual(['b', 'c']);
    await audit.close();
  });

  test('that cannot be synced to the disk is removed from the file', async () => {
    await using at = await place();
    vi.spyOn(await fileMethods(at.path), 'datasync').mockRejectedValueOnce(new Error('input/output error'));
    const audit = ndjsonAudit(at.path);
    await expect(audit.write(record('a'))).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    expect(await readFile(at.path, 'utf8')).toBe('');
    await audit.write(record('b'));
    await audit.close();
    expect(await verifyAudit(at.path)).toMatchObject({ ok: true, at: { n: 1 } });
  });

  test('is rejected while the audit is closing, and stored if it was written before', async () => {
    await using at = await place();
    const audit = ndjsonAudit(at.path);
    const before = audit.write(record('a'));
    const closing = audit.close();
    await expect(audit.write(record('b'))).rejects.toThrow('the audit was closed');
    await Promise.all([before, closing]);
    const ids: string[] = [];
    for await (const { id } of readAudit(at.path)) ids.push(id);
    expect(ids).toEqual(['a']);
  });

  test('in memory is read by the id of its act', async () => {
    const audit = memoryAudit();
    for (const [id, phase] of [
      ['a', 'decided'],
      ['b', 'decided'],
      ['a', 'done'],
    ] as const)
      await audit.write(record(id, phase));
    expect(await audit.read?.('a')).toMatchObject([{ phase: 'decided' }, { phase: 'done' }]);
    expect(audit.records).toHaveLength(3);
  });
});

describe('verifying', () => {
  async function written(path: string, count: number): Promise<string[]> {
    const audit = ndjsonAudit(path);
    for (let i = 0; i < count; i++) await audit.write(record(`act-${i}`));
    await audit.close();
    return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  }

  const headOf = (line = ''): Checkpoint => {
    const { n, hash } = JSON.parse(line) as Checkpoint; // a record that was written
    return { n, hash };
  };

  test('finds a record that was rewritten with a hash of its own, by the one after it', async () => {
    await using at = await place();
    const lines = await written(at.path, 3);
    const forged = chainRecord(record('forged'), headOf(lines[0])).line;
    await writeFile(at.path, `${lines.with(1, forged).join('\n')}\n`);
    expect(await verifyAudit(at.path)).toEqual({
      ...{ ok: false, line: 3, why: 'the record does not follow the one before it' },
    });
  });

  test('reports a duplicate record as out of order', async () => {
    await using at = await place();
    const lines = await written(at.path, 2);
    await writeFile(at.path, `${[...lines, lines[0]].join('\n')}\n`);
    expect(await verifyAudit(at.path)).toEqual({ ok: false, line: 3, why: 'the record is out of order' });
  });

  test('compares with a checkpoint at any record, including the first and the last', async () => {
    await using at = await place();
    const lines = await written(at.path, 3);
    for (const [i, line] of lines.entries()) {
      const checkpoint = headOf(line);
      expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: true });
      expect(await verifyAudit(at.path, { checkpoint: { ...checkpoint, hash: 'f'.repeat(64) } })).toMatchObject({
        ...{ ok: false, line: i + 1 },
      });
    }
    const checkpoint = { n: 4, hash: 'f'.repeat(64) };
    expect(await verifyAudit(at.path, { checkpoint })).toMatchObject({ ok: false, line: 4 });
  });
});
