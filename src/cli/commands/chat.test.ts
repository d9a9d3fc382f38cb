import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';

/** The error on standard error, if it does not start. */
async function refusal(args: readonly string[], options: Parameters<typeof mooring>[1] = {}): Promise<string> {
  const { code, stdout, stderr } = await mooring(['chat', ...args], options);
  expect([code, stdout]).toEqual([2, '']);
  return stderr;
}

describe('chat refuses, and starts nothing,', () => {
  test('a model that it does not know, or that has no key', async () => {
    expect(await refusal(['https://a.example', '--model', 'gpt'])).toContain(
      'expected anthropic:<name> or openai:<name>',
    );
    expect(await refusal(['https://a.example', '--model', 'toaster:x'])).toContain('--model toaster:x');
    expect(await refusal(['https://a.example', '--model', 'anthropic:claude'])).toContain('ANTHROPIC_API_KEY');
    expect(await refusal(['https://a.example', '--model', 'openai:gpt'])).toContain('OPENAI_API_KEY');
  });

  test('an address of a model that a key must not go to', async () => {
    const env = { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: 'http://elsewhere.example', MOORING_MODEL: 'openai:x' };
    const said = await refusal(['https://a.example'], { env });
    expect(said).toContain('must begin with https:');
    expect(said).not.toContain('secret');
  });

  test('when nothing is configured and nothing named', async () => {
    await using empty = await folder();
    expect(await refusal([], { cwd: empty.path })).toContain('<target>: no server is configured here');
  });

  test('targets and timeouts that are none', async () => {
    expect(await refusal(['./nowhere.ts'])).toContain('file not found');
    expect(await refusal(['https://a.example', 'unknown'])).toContain('unknown: not a URL');
    expect(await refusal(['https://a.example', '--timeout', 'long'])).toContain('expected a number of seconds');
    expect(await refusal(['https://a.example', '--'])).toContain('expected a command after it');
  });

  test('a policy without rules, and an audit that cannot be written', async () => {
    await using project = await folder();
    await writeFile(`${project.path}/rules.js`, 'export const nothing = 1;');
    const given = { cwd: project.path };
    expect(await refusal(['https://a.example', '--policy', 'rules.js'], given)).toContain(
      'the module exports no array of rules',
    );
    expect(await refusal(['https://a.example', '--policy', 'none.js'], given)).toContain('file not found');
    expect(await refusal(['https://a.example', '--audit', 'no/such/folder/a.ndjson'], given)).toContain('a.ndjson');
  });

  test('what is wrong in a file that was named, with its line', async () => {
    await using project = await folder();
    await writeFile(`${project.path}/mcp.json`, '{\n  "mcpServers": { "shop": { "command": 7 } }\n}');
    expect(await refusal(['--config', 'mcp.json'], { cwd: project.path })).toMatch(/mcp\.json, line 2/);
  });

  test('a command of a file that the user has not approved', async () => {
    await using project = await folder();
    const servers = { mcpServers: { shop: { command: process.execPath, args: ['shop.js'] } } };
    await writeFile(`${project.path}/.mcp.json`, JSON.stringify(servers));
    const said = await refusal([], { cwd: project.path });
    expect(said).toContain('shop.js');
    expect(said).toContain('--yes');
    expect(await refusal([], { cwd: project.path, tty: true, stdin: 'n\n' })).toContain(
      'you declined, so the server was not opened',
    );
  });
});
