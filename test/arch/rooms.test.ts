/** Rooms import one way. The table is the architecture; a change to it is a decision and says its reason. */
import { expect, test } from 'vitest';
import { architectureSection, picturedNames } from '../support/architecture-page.ts';
import { codeOf, importsOf, roomOf, sourceFiles } from '../support/source.ts';

const below = ['jsonrpc', 'schema', 'model', 'peer', 'revisions'];

/** What a room may import besides itself and `errors.ts`. `type x` lets it import nothing but types from there. */
const rooms = new Map<string, readonly string[]>([
  ['errors.ts', []],
  ['jsonrpc', []],
  // A JSON Schema is a JSON object, and what tells values apart is spelled once, in jsonrpc.
  ['schema', ['jsonrpc']],
  ['model', ['jsonrpc']],
  ['peer', ['jsonrpc', 'model']],
  // Reading and writing files safely, for the rooms that keep some; it needs the clock, what tells JSON values apart, and nothing of MCP.
  ['files', ['jsonrpc', 'type peer']],
  // Questions on a terminal, one at a time: of consent, of servers, of the command line.
  ['terminal', []],
  // Types of both sides' hooks are the model's, and every timer takes the clock; of messages it knows nothing.
  ['auth', ['jsonrpc', 'model', 'peer', 'files']],
  ['revisions', ['jsonrpc', 'model', 'peer']],
  ['transport', ['jsonrpc', 'model', 'peer', 'revisions']],
  ['server', below],
  ['client', below],
  // The entry point for server authors: a server with the types it speaks of, and the one transport that runs wherever it does.
  // Neither of these two rooms knows the other.
  ['index.ts', [...below, 'server', 'transport']],
  ['connect', [...below, 'transport', 'client']],
  // What processes share, behind the interfaces of the rooms that use it. A stored task is read as the server reads it.
  ['stores', [...below, 'server', 'type transport']],
  // Folders of skills are read from disk, as files of others: bounded, and never through a link.
  // The Redis store of tasks is one of the stores.
  ['extensions', [...below, 'files', 'server', 'client', 'stores']],
  // Layers around what servers answer and clients send: it knows messages, and neither side.
  ['telemetry', ['jsonrpc', 'model', 'peer']],
  // Listening in on a conversation, its messages without secrets, and the format of recordings: for the command line, tests and the workbench.
  ['recording', ['jsonrpc', 'model', 'peer', 'type transport']],
  ['testing', [...below, 'recording', 'transport', 'server', 'client', 'connect', 'stores']],
  // Views and skills are asked for through the gate; of an extension a host loads its names at once, and the rest with the first use.
  ['host', [...below, 'files', 'terminal', 'auth', 'transport', 'client', 'connect', 'extensions']],
  ['gateway', [...below, 'files', 'auth', 'transport', 'client', 'connect', 'server', 'stores', 'host']],
  ['workbench', [...below, 'files', 'auth', 'recording', 'transport', 'client', 'connect', 'extensions', 'host']],
]);
rooms.set('cli', [...rooms.keys()]);

const files = sourceFiles();
/** The entry points of rooms. The list of revisions is called index.ts too, and is not one of them. */
const indexes = files.filter((file) => file.endsWith('/index.ts') && file !== 'src/revisions/index.ts');
const graph = new Map(files.map((file) => [file, importsOf(file)]));

test('every file in src/ belongs to a room of the table', () => {
  expect(files.filter((file) => !rooms.has(roomOf(file)))).toEqual([]);
});

test('the architecture page has a row for every room', () => {
  const named = [...architectureSection('Rooms').matchAll(/^\| `([^`]+)` \|/gm)].map(([, room]) => room);
  expect(named.toSorted()).toEqual([...rooms.keys()].filter((room) => room !== 'errors.ts').toSorted());
});

test('the picture of the architecture has every room, below or to the right of each that imports it', () => {
  const pictured = new Map(picturedNames('room').map((room) => [room.name, room]));
  expect([...pictured.keys()].toSorted()).toEqual([...rooms.keys()].filter((room) => room !== 'errors.ts').toSorted());
  const above = [...pictured.values()].flatMap((from) =>
    (rooms.get(from.name) ?? [])
      .map((entry) => pictured.get(entry.replace('type ', '')))
      .filter((to) => to !== undefined && (to.y < from.y || (to.y === from.y && to.x < from.x)))
      .map((to) => `${to?.name} is not below ${from.name}`),
  );
  expect(above).toEqual([]);
});

test('no room imports a room above it', () => {
  const broken = files.flatMap((file) =>
    (graph.get(file) ?? [])
      .filter(({ to, kind }) => to.startsWith('src/') && !allowed(roomOf(file), roomOf(to), kind === 'type'))
      .map(({ to }) => `${file} imports ${to}`),
  );
  expect(broken).toEqual([]);
});

test('source imports nothing outside src/ by path', () => {
  const strays = files.flatMap((file) =>
    (graph.get(file) ?? [])
      .filter(({ to }) => /^(\.\.|test|scripts|examples)\//.test(to))
      .map(({ to }) => `${file}: ${to}`),
  );
  expect(strays).toEqual([]);
});

test('no import runs in a circle, not even of types', () => {
  expect(circles()).toEqual([]);
});

test('an index.ts only re-exports, by name', () => {
  const rest = indexes.map((file) => [
    file,
    codeOf(file)
      .replace(/export (type )?\{[^}]*\} from '[^']+';/g, '')
      .trim(),
  ]);
  expect(rest.filter(([, code]) => code !== '')).toEqual([]);
});

test('no file imports the index.ts of its own room', () => {
  const own = files.filter((file) =>
    graph.get(file)?.some(({ to }) => indexes.includes(to) && roomOf(to) === roomOf(file)),
  );
  expect(own).toEqual([]);
});

function allowed(from: string, to: string, erased: boolean): boolean {
  if (from === to || to === 'errors.ts') return true;
  const list = rooms.get(from) ?? [];
  return list.includes(to) || (erased && list.includes(`type ${to}`));
}

/** Each circle once, as the path that runs through it. */
function circles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start !== -1) found.push([...path.slice(start), file].join(' → '));
    if (start !== -1 || done.has(file)) return;
    for (const { to } of graph.get(file) ?? []) if (graph.has(to)) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return found;
}
