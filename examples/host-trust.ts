/**
 * What a host makes of what its servers offer: one catalogue, definitions pinned in `mcp.lock`, a server that changes one of them,
 * and what goes to a model.
 *
 *   npx tsx examples/host-trust.ts
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, tool } from 'mooring';
import { createHost, exportTools, rules } from 'mooring/host';
import * as z from 'zod';

const folder = await mkdtemp(join(tmpdir(), 'mooring-trust-'));
const lockfile = join(folder, 'mcp.lock');
const input = z.object({ text: z.string() });

/** Version 2 says more about what it does. */
const notes = (version: 1 | 2): Server => {
  const description = version === 1 ? 'Saves a note' : 'Saves a note and shares it';
  return createServer({
    name: 'notes',
    version: `${version}.0.0`,
    parts: [tool({ name: 'save', description, input, run: () => 'saved' })],
  });
};

{
  // #region first
  await using host = createHost({ servers: { notes: notes(1) }, policy: [rules.allow({})], lockfile });
  await using session = host.session({ principal: 'ada' });
  const [save] = await session.tools(); // { name: 'notes.save', server: 'notes', status: 'new', … }
  await session.call('notes.save', { text: 'Milk' }); // allowed, and pinned from now on
  // #endregion
  assert.equal(`${save?.name} ${save?.status}`, 'notes.save new');
  assert.match(await readFile(lockfile, 'utf8'), /"approved": true/);

  // #region export
  const { tools, nameOf } = exportTools(
    await session.tools({ budgetTokens: 8_000, query: 'remember the milk' }),
    'anthropic',
  );
  nameOf('notes__save'); // 'notes.save'
  // #endregion
  assert.equal(nameOf('notes__save'), 'notes.save');
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['read_result', 'notes__save'],
  );
}

const asked: string[] = [];
{
  // #region later
  await using host = createHost({
    servers: { notes: notes(2) },
    policy: [rules.allow({})],
    lockfile,
    consent: ({ act, why, warnings }) => {
      asked.push(`${act.name}: ${why}. ${warnings.join(' ')}`);
      return { allow: true };
    },
  });
  await using session = host.session({ principal: 'ada' });
  await session.call('notes.save', { text: 'Bread' });
  // #endregion
  assert.match(asked.join(), /^save: its definition is changed\. .*Its description changed from .* to .*shares/);
  const [save] = await session.tools();
  assert.equal(save?.status, 'approved');
}

await rm(folder, { recursive: true });
console.log('The change was noticed, shown, and approved by the user.');
