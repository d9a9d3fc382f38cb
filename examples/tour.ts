/**
 * The tour: starts the shop as a child process and does everything a client does with it, once per protocol revision.
 * Every step checks what came back; the first surprise ends the tour with exit code 1.
 *
 *   npm start
 */
import { strict as assert } from 'node:assert';
import { fileURLToPath } from 'node:url';
import { type Client, connect, revisionIds } from 'mooring/client';
import type { shop } from './shop.ts';

const server = fileURLToPath(new URL('shop.ts', import.meta.url));
const began = performance.now();

for (const id of revisionIds) {
  const questions: string[] = [];
  await using client = await connect<typeof shop>(
    { command: process.execPath, args: ['--import', 'tsx', server] },
    {
      revisions: [id],
      elicit(form) {
        questions.push(form.message);
        return { action: 'accept', content: {} };
      },
      sample: () => ({ role: 'assistant', model: 'tour', content: { type: 'text', text: 'Mostly harmless goods' } }),
      onWarning: () => undefined,
    },
  );
  assert.equal(client.server.revision, id);
  console.log(`\n${id}`);
  await look(client);
  await work(client);
  await ask(client, questions);
}
console.log(
  `\n${revisionIds.length} revisions, every answer as expected, in ${Math.round(performance.now() - began)} ms.`,
);

function show(what: string, happened: string): void {
  console.log(`  ${what.padEnd(10)} ${happened}`);
}

async function look(client: Client<typeof shop>): Promise<void> {
  const tools = await client.list('tools').all();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['refund', 'stocktake', 'slogan'],
  );
  show('server', `${client.server.info?.name} ${client.server.info?.version}`);
  show('tools', tools.map((tool) => tool.name).join(', '));

  const { text } = await client.read('orders://A-1041');
  assert.deepEqual(JSON.parse(text), { id: 'A-1041', price: 12.5 });
  show('resource', `orders://A-1041 is ${text}`);

  const { messages } = await client.get('apology', { order: 'A-1041' });
  const said = messages[0]?.content;
  assert.ok(said?.type === 'text' && said.text.includes('A-1041'));
  show('prompt', `apology says "${said.text}"`);
}

async function work(client: Client<typeof shop>): Promise<void> {
  const heard: string[] = [];
  const counted = await client.call(
    'stocktake',
    { shelves: 3 },
    { onProgress: ({ progress, total }) => heard.push(`${progress}/${total}`) },
  );
  assert.deepEqual([counted.text, heard], ['Counted 3 shelves', ['1/3', '2/3', '3/3']]);
  show('progress', `${heard.join(' ')}, then "${counted.text}"`);

  const slogan = await client.call('slogan');
  assert.equal(slogan.text, 'Mostly harmless goods');
  show('sampling', `the shop asked our model, and says "${slogan.text}"`);
}

/** Asking the user is as old as elicitation; before it, the tool says why it cannot. */
async function ask(client: Client<typeof shop>, questions: readonly string[]): Promise<void> {
  const outcome = await client.call('refund', { order: 'A-1041' }).then(
    (refunded) => refunded.text,
    (error: Error) => error.message,
  );
  if (questions.length > 0) {
    assert.deepEqual(questions, ['Refund 12.5 on A-1041?']);
    assert.match(outcome, /Refunded 12.5 on A-1041/);
    show('question', `"${questions[0]}" yes. ${outcome.split('\n')[0]}`);
  } else {
    assert.match(outcome, /cannot be asked/);
    show('question', `this revision has no way to ask: "${outcome}"`);
  }
}
