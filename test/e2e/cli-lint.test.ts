/** `mooring lint` with a server in a child process. */
import { describe, expect, test } from 'vitest';
import { folder, mooring, type Ran } from '../support/command-line.ts';
import { type PlainOptions, type PlainTool, plainServer } from '../support/plain-server.ts';

async function lint(tools: readonly PlainTool[], args: readonly string[], options: PlainOptions = {}): Promise<Ran> {
  await using dir = await folder();
  const { command } = await plainServer(dir.path, tools, options);
  return await mooring(['lint', ...args, '--', ...command], { cwd: dir.path });
}

const silent = { name: 'echo' };
const plain = { name: 'echo', description: 'Repeat a text \u001b[2J' };

describe('lint', () => {
  test('ends with 1 on an error, names the rule, the item and the remedy', async () => {
    const { code, stdout } = await lint([silent], []);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^plain 1\n\n✗ error/);
    expect(stdout).toContain('✗ error: no-description\n  tool echo has no description\n  Fix: Say in one');
    expect(stdout).toContain('Cost: 1 tool, about');
    expect(stdout).toMatch(/\n1 error, 1 warning\.\n$/);
  });

  test('ends with 0 on warnings, unless it is strict', async () => {
    const quiet = { name: 'echo', description: 'Repeat a text' };
    expect((await lint([quiet], [])).code).toBe(0);
    expect((await lint([quiet], ['--strict'])).code).toBe(1);
    const ignored = await lint([quiet], ['--strict', '--ignore', 'no-annotations']);
    expect([ignored.code, ignored.stdout]).toEqual([0, expect.stringContaining('No problems found.')]);
  });

  test('is JSON for programs, and prints nothing that drives a terminal', async () => {
    const { stdout } = await lint([plain, plain], ['--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      errors: 3,
      warnings: 2,
      findings: expect.arrayContaining([
        expect.objectContaining({ rule: 'duplicate-name', severity: 'error', item: 'tool echo' }),
        expect.objectContaining({ rule: 'suspicious-text', severity: 'error' }),
      ]),
      tokens: { total: expect.any(Number), tools: [{ name: 'echo' }, { name: 'echo' }] },
    });
    const shown = await lint([plain], []);
    expect(shown.stdout + stdout).not.toContain('\u001b[2J');
  });

  test('rejects a rule that there is not, before anything is started', async () => {
    const { code, stderr } = await lint([silent], ['--ignore', 'no-descriptions']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean no-description?')]);
  });

  test('goes on where a list fails, names it, and ends with 1', async () => {
    const failures = { 'prompts/list': { code: -32603, message: 'db down' } };
    const { code, stdout, stderr } = await lint([plain], [], { capabilities: { prompts: {} }, failures });
    expect(code).toBe(1);
    expect(stdout).toContain('suspicious-text');
    expect(stderr).toContain('prompts/list failed: db down');
  });
});
