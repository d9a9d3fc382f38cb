/** Skills with the SDK of the extension's authors: our host with their server, their client with ours. */

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  getSkill,
  listSkills,
  readDirectory,
  readSkill,
  readSkillResource,
  serverSupportsSkills,
} from '@olaservo/ext-skills/client';
import { expect, test } from 'vitest';
import { skills } from '../../src/extensions/skills/index.ts';
import { createHost, rules } from '../../src/host/index.ts';
import { createServer } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { program } from './bundle-servers.ts';

const folder = fileURLToPath(new URL('../../examples/skills', import.meta.url));
const URI = 'skill://refunds/SKILL.md';
const FORMS = 'skill://refunds/references/FORMS.md';

test('our host lists, loads and verifies skills of their server', async () => {
  await using host = createHost({
    servers: { theirs: { command: process.execPath, args: [program('servers/skills'), folder] } },
    skills: true,
    policy: [rules.allow({})],
    timeouts: { probeTimeoutMs: 30_000, connectTimeoutMs: 30_000 },
  });
  const session = host.session();
  const listed = await session.skills();
  expect(listed.map(({ uri, files }) => [uri, files])).toEqual([
    [URI, 2],
    ['skill://shipping/SKILL.md', 1],
  ]);
  const skill = await session.skill('theirs', URI);
  expect(skill.text).toContain('five working days');
  expect(new TextDecoder().decode(await skill.read('references/FORMS.md'))).toContain('R-1');
  await expect(skill.read('NONE.md')).rejects.toMatchObject({ code: 'MCP_SKILL_REJECTED' });
});

test('their client lists, reads and verifies skills of our server', async () => {
  const server = createServer({ name: 'ours', version: '1', parts: [], skills: await skills(folder) });
  const served = await serveHttp(server, { port: 0 });
  const own = new Client({ name: 'theirs', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await own.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  // Their types differ in optional members.
  const client = own as unknown as Parameters<typeof listSkills>[0];
  try {
    expect(serverSupportsSkills(client)).toBe(true);
    expect((await listSkills(client)).map(({ uri }) => uri)).toEqual([URI, 'skill://shipping/SKILL.md']);
    const entry = await getSkill(client, URI);
    // Both throw if size, digest or frontmatter differ.
    expect(JSON.stringify(await readSkill(client, entry))).toContain('five working days');
    expect(JSON.stringify(await readSkillResource(client, entry, FORMS))).toContain('R-1');
    const { resources } = await readDirectory(client, 'skill://refunds');
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      [URI, 'text/markdown'],
      ['skill://refunds/references', 'inode/directory'],
    ]);
  } finally {
    await own.close();
    await served.close();
  }
});
