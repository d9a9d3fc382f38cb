/**
 * Things a client may read: one under an address of its own, many under a template that lists them, with suggestions for its
 * variables and word of every change.
 *
 *   npx tsx examples/resources.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, resource, tool } from 'mooring';
import * as z from 'zod';
import { everywhere } from './support/everywhere.ts';

const notes = new Map([
  ['garden/roses', 'Prune in March.'],
  ['garden/lawn', 'Leave it to the bees.'],
  ['kitchen/bread', 'Eighteen hours, no kneading.'],
]);
const png = Buffer.from('iVBORw0KGgo=', 'base64');

// #region resource
const contents = resource({
  uri: 'notes://contents',
  name: 'contents',
  title: 'Table of contents',
  mimeType: 'text/plain',
  read: () => [...notes.keys()].join('\n'),
});

const cover = resource({ uri: 'notes://cover', name: 'cover', mimeType: 'image/png', read: () => new Uint8Array(png) });
// #endregion

// #region template
const folders = (): string[] => [...new Set([...notes.keys()].map((key) => key.split('/')[0] ?? ''))];

const note = resource({
  uri: 'notes://{folder}/{name}',
  name: 'note',
  mimeType: 'application/json',
  cache: { ttlMs: 60_000, cacheScope: 'private' },
  list: () => [...notes.keys()].map((key) => ({ uri: `notes://${key}`, name: key })),
  complete: {
    folder: (start) => folders().filter((folder) => folder.startsWith(start)),
    // What was filled in before narrows down what can follow.
    name: (start, { folder }) =>
      [...notes.keys()].flatMap((key) => {
        const [where, name = ''] = key.split('/');
        return where === folder && name.startsWith(start) ? [name] : [];
      }),
  },
  read({ folder, name }) {
    const text = notes.get(`${folder}/${name}`);
    return text === undefined ? undefined : { folder, name, text }; // undefined: there is no such resource
  },
});
// #endregion

// #region updated
const write = tool({
  name: 'write',
  input: z.object({ folder: z.string(), name: z.string(), text: z.string() }),
  run({ folder, name, text }) {
    const isNew = !notes.has(`${folder}/${name}`);
    notes.set(`${folder}/${name}`, text);
    notebook.updated(`notes://${folder}/${name}`);
    if (isNew) {
      notebook.updated('notes://contents');
      notebook.updated(note.uri); // there is one more in the list
    }
    return 'Written';
  },
});

const notebook = createServer({ name: 'notebook', version: '1.0.0', parts: [contents, cover, note, write] });
// #endregion

await everywhere({ server: notebook, file: import.meta.url }, async (client) => {
  // #region read
  const listed = await client.list('resources').all();
  const { text } = await client.read('notes://garden/roses');
  const { contents: parts } = await client.read('notes://cover');
  // #endregion
  assert.deepEqual(
    listed.map(({ uri }) => uri),
    ['notes://contents', 'notes://cover', ...[...notes.keys()].map((key) => `notes://${key}`)],
  );
  assert.deepEqual(JSON.parse(text), { folder: 'garden', name: 'roses', text: notes.get('garden/roses') });
  assert.ok(parts[0] !== undefined && 'blob' in parts[0] && parts[0].blob === png.toString('base64'));
  await assert.rejects(client.read('notes://garden/tulips'), /not found/i);

  // #region complete
  const ref = { type: 'ref/resource', uri: 'notes://{folder}/{name}' } as const;
  const where = await client.complete(ref, { name: 'folder', value: 'g' });
  const which = await client.complete(ref, { name: 'name', value: '' }, { context: { folder: where.values[0] ?? '' } });
  // #endregion
  assert.deepEqual(where.values, ['garden']);
  // The three newest revisions say what was filled in before.
  const narrowed = notebook.revisions.slice(0, 3).includes(client.server.revision);
  assert.deepEqual(which.values, narrowed ? ['roses', 'lawn'] : []);

  // #region watch
  await using watch = client.watch({ resources: ['notes://kitchen/bread'] });
  await watch.granted;
  await client.call('write', { folder: 'kitchen', name: 'bread', text: 'Twenty hours.' });
  const news = await watch.nextChange();
  // #endregion
  assert.deepEqual(news, { kind: 'resource', uri: 'notes://kitchen/bread' });
  assert.equal(JSON.parse((await client.read('notes://kitchen/bread')).text).text, 'Twenty hours.');
});
