/** Tests that a host rejects pipes, devices, folders and endless files at once, and names them in the error. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { systemClock } from '../../peer/clock.ts';
import { ndjsonAudit } from '../audit/ndjson-audit.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { readConfig } from '../config/read-config.ts';
import { writeConfig } from '../config/write-config.ts';
import { Lock } from '../lock/lock.ts';
import { readEnvFile } from '../servers/env-file.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-odd-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  await symlink('/dev/zero', join(folder, 'device'));
  // A sparse file, which takes no space on the disk.
  await writeFile(join(folder, 'huge'), '');
  await truncate(join(folder, 'huge'), 2 ** 33);
});
afterAll(() => rm(folder, { recursive: true }));

const kinds = [
  ['pipe', 'it is not a regular file'],
  ['device', 'it is not a regular file'],
  ['huge', 'larger than'],
] as const;

describe.each(kinds)('a %s', (kind, why) => {
  const path = (): string => join(folder, kind);

  test('is rejected as a configuration file', async () => {
    const { faults } = await readConfig(path());
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
    await expect(writeConfig(path(), 'a', { command: 'x' })).rejects.toMatchObject({
      code: 'MCP_BAD_CONFIG',
      message: expect.stringContaining(why),
    });
  });

  test('is rejected as a lock file', async () => {
    const lock = new Lock({ path: path(), clock: systemClock, onWarning: () => undefined });
    await expect(lock.ready()).rejects.toMatchObject({ code: 'MCP_HOST_FILE', details: { path: path() } });
  });

  test('is rejected as a file of variables', async () => {
    await expect(readEnvFile(path())).rejects.toMatchObject({
      code: 'MCP_HOST_FILE',
      message: expect.stringContaining(why),
    });
  });

  test('is rejected as an audit log', async () => {
    await expect(verifyAudit(path())).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    const audit = ndjsonAudit(path());
    const decision = { verdict: 'allow', rule: 'a', why: 'b' } as const;
    const record = { id: 'a', at: 1, phase: 'decided', act: act(), decision, allowed: true, binding: 'b' } as const;
    await expect(audit.write(record)).rejects.toMatchObject({ code: 'MCP_HOST_FILE' });
    await audit.close();
    // The file itself is unchanged.
    if (kind === 'huge') expect((await stat(path())).size).toBe(2 ** 33);
  });
});
