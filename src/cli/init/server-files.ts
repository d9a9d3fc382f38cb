/** Generates the source of a new server, and its tests. */
import type { InitPlan } from './decide.ts';
import { dialects } from './dialects.ts';

const NOTES =
  "const notes = new Map([['welcome', 'Edit src/server.ts while `npm run dev` runs: the server reloads.']]);";

export function serverFile({ name, schema }: InitPlan): string {
  const { imports, input, output, args, typed } = dialects[schema];
  // Without inferred types, the code converts the input with String(); the schema validated it.
  const text = typed ? `\n  text: ({ title, count }) => \`Saved "\${title}": there are \${count} notes now\`,` : '';
  const run = typed
    ? 'run({ title, text }) {'
    : 'run(input) {\n    const [title, text] = [String(input.title), String(input.text)];';
  return `/** A server with a tool, a resource and a prompt. \`mooring run\` and \`mooring dev\` serve the exported server. */
${[`import { createServer, prompt, resource, ToolError, tool } from 'mooring';`, ...imports].toSorted(byModule).join('\n')}

${NOTES}

/** A tool, which models call. The model sees the message of a ToolError. */
const addNote = tool({
  name: 'add_note',
  description: 'Save a note under a title',
  effects: 'write',
  input: ${input.join('\n')},
  output: ${output},${text}
  ${run}
    if (notes.has(title)) throw new ToolError(\`A note "\${title}" exists already\`);
    notes.set(title, text);
    return { title, count: notes.size };
  },
});

/** A resource, which clients read. The URI template matches every note. */
const note = resource({
  uri: 'notes://{title}',
  name: 'note',
  description: 'One note',
  mimeType: 'text/plain',
  complete: { title: (start) => [...notes.keys()].filter((title) => title.startsWith(start)) },
  read: ({ title }) => notes.get(title),
});

/** A prompt, which users choose. */
const summary = prompt({
  name: 'summary',
  description: 'Summarize all notes',
  args: ${args},
  render: ({ language }) => \`Summarize these notes in \${language}:\\n\${[...notes.values()].join('\\n')}\`,
});

export const server = createServer({ name: '${name}', version: '0.1.0', parts: [addNote, note, summary] });
`;
}

const byModule = (a: string, b: string): number => moduleIn(a).localeCompare(moduleIn(b));
const moduleIn = (line: string): string => / from '(.+)'/.exec(line)?.[1] ?? '';

/** Uses node:test, which needs no dependency. */
export function testFile(): string {
  return `/** The client connects to the server object in this process, without a network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from 'mooring/client';
import { everyRevision } from 'mooring/testing';
import { server } from './server.ts';

test('a saved note can be read', async () => {
  await using client = await connect(server);
  const { data } = await client.call('add_note', { title: 'milk', text: 'Two litres' });
  assert.deepEqual(data, { title: 'milk', count: 2 });
  assert.equal((await client.read('notes://milk')).text, 'Two litres');
});

test('a second note with the same title is rejected', async () => {
  await using client = await connect(server);
  const again = client.call('add_note', { title: 'welcome', text: 'again' });
  await assert.rejects(again, { name: 'ToolError', message: /already/ });
});

test('the prompt contains the notes, in every revision of the protocol', async () => {
  await everyRevision(server, async (client) => {
    const { messages } = await client.getPrompt('summary', { language: 'French' });
    assert.match(JSON.stringify(messages), /in French:.*src\\/server\\.ts/);
  });
});
`;
}
