/**
 * A host: three servers of three sorts, one policy, a person who is asked, and a model that works with all of them. The model here keeps to
 * a script; `anthropic` and `openai` take its place without another change.
 *
 *   npx tsx examples/host.ts
 */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, tool } from 'mooring';
import { createHost, fromConfig, rules, scriptedModel } from 'mooring/host';
import { serveHttp } from 'mooring/node';
import * as z from 'zod';

const sent: string[] = [];
const asked: string[] = [];
const letter = z.object({ to: z.string(), text: z.string() });
const mail = createServer({
  name: 'mail',
  version: '1.0.0',
  parts: [
    tool({ name: 'send', input: letter, run: ({ to, text }) => `Letter ${sent.push(`${to}: ${text}`)} is sent` }),
  ],
});
const diary = createServer({
  name: 'diary',
  version: '1.0.0',
  parts: [tool({ name: 'today', effects: 'read', run: () => 'Ada has a birthday' })],
});
const listener = await serveHttp(diary, { port: 0 });

// As an editor would have written it: a program that the host starts.
const folder = await mkdtemp(join(tmpdir(), 'mooring-host-'));
const file = join(folder, '.mcp.json');
const shop = fileURLToPath(new URL('shop.ts', import.meta.url));
const cwd = fileURLToPath(new URL('..', import.meta.url));
const entry = { command: process.execPath, args: ['--import', 'tsx', shop], cwd };
await writeFile(file, JSON.stringify({ mcpServers: { shop: entry } }));

const model = scriptedModel([
  [
    { type: 'tool_use', id: '1', name: 'shop__refund', input: { order: 'A-1041' } },
    { type: 'tool_use', id: '2', name: 'diary__today', input: {} },
  ],
  [
    {
      type: 'tool_use',
      id: '3',
      name: 'mail__send',
      input: { to: 'ada@example.test', text: 'Refunded. Happy birthday!' },
    },
  ],
  'A-1041 is refunded, and Ada knows.',
]);

{
  // #region host
  await using host = createHost({
    servers: { ...(await fromConfig(file)), mail, diary: listener.url },
    policy: [
      rules.deny({ server: 'mail', arguments: { to: /@(?!example\.test$)/ } }),
      rules.trustAnnotationsOf('diary'),
      rules.allow({ effects: 'read' }),
      // No rule for the rest: starting the shop, reaching the diary, refunding, writing. The user is asked.
    ],
    consent: ({ act }) => {
      asked.push(`${act.kind} ${act.server}`);
      return { allow: true };
    },
    questions: {
      form: async ({ server }) =>
        server === 'shop' ? { action: 'accept', content: { confirm: true } } : { action: 'decline' },
    },
    model,
  });
  await using session = host.session({ principal: 'ada' });
  const calls: string[] = [];
  let answer = '';
  for await (const event of session.run('Refund A-1041 and tell the customer')) {
    if (event.type === 'tool-result') calls.push(`${event.name}: ${event.text}`);
    if (event.type === 'done') answer = event.text;
    if (event.type === 'error') throw event.error;
  }
  // #endregion
  assert.equal(answer, 'A-1041 is refunded, and Ada knows.');
  assert.deepEqual(calls.toSorted(), [
    'diary.today: Ada has a birthday',
    'mail.send: Letter 1 is sent',
    'shop.refund: Refunded 12.5 on A-1041',
  ]);
  assert.deepEqual(sent, ['ada@example.test: Refunded. Happy birthday!']);

  // #region denied
  await assert.rejects(session.call('mail.send', { to: 'eve@elsewhere.test', text: 'Psst' }), { code: 'MCP_DENIED' });
  for (const [label, { state }] of host.servers) console.log(`${label} is ${state}`);
  // #endregion
  assert.equal(sent.length, 1);
}
assert.deepEqual(asked.toSorted(), ['connect diary', 'elicitation shop', 'spawn shop', 'tool mail', 'tool shop']);
await listener.close();
await rm(folder, { recursive: true });
