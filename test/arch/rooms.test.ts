/** Rooms import in one direction. A change to the table is an architecture decision, and states its reason. */
import { expect, test } from 'vitest';
import { architectureSection, picturedNames } from '../support/architecture-page.ts';
import { codeOf, importsOf, roomOf, sourceFiles } from '../support/source.ts';

const below = ['jsonrpc', 'schema', 'model', 'peer', 'revisions'];

/** The rooms that a room can import, besides itself and `errors.ts`. `type x` allows only types. */
const rooms = new Map<string, readonly string[]>([
  ['errors.ts', []],
  ['jsonrpc', []],
  // A JSON Schema is a JSON object.
  ['schema', ['jsonrpc']],
  ['model', ['jsonrpc']],
  ['peer', ['jsonrpc', 'model']],
  // Reads and writes files safely; needs the clock and JSON types, and nothing of MCP.
  ['files', ['jsonrpc', 'type peer']],
  // Questions on a terminal, one at a time.
  ['terminal', []],
  // Hook types of both sides are in the model, and timers need the clock.
  ['auth', ['jsonrpc', 'model', 'peer', 'files']],
  ['revisions', ['jsonrpc', 'model', 'peer']],
  ['transport', ['jsonrpc', 'model', 'peer', 'revisions']],
  ['server', below],
  ['client', below],
  // The entry point for authors of servers: a server, its types, and the one transport that runs everywhere.
  ['index.ts', [...below, 'server', 'transport']],
  ['connect', [...below, 'transport', 'client']],
  // What processes share. Stored tasks are read as the server reads them.
  ['stores', [...below, 'server', 'type transport']],
  // Skills are read from disk like untrusted files. The Redis store of tasks is one of the stores.
  ['extensions', [...below, 'files', 'server', 'client', 'stores']],
  // Layers around servers and clients; knows only messages.
  ['telemetry', ['jsonrpc', 'model', 'peer']],
  // Records conversations without secrets, for the command line, tests and the workbench.
  ['recording', ['jsonrpc', 'model', 'peer', 'type transport']],
  ['testing', [...below, 'recording', 'transport', 'server', 'client', 'connect', 'stores']],
  // Views and skills pass the gate. A host loads an extension's names at once, and the rest when it is used.
  ['host', [...below, 'files', 'terminal', 'auth', 'transport', 'client', 'connect', 'extensions']],
  ['gateway', [...below, 'files', 'auth', 'transport', 'client', 'connect', 'server', 'stores', 'host']],
  ['workbench', [...below, 'files', 'auth', 'recording', 'transport', 'client', 'connect', 'extensions', 'host']],
]);
rooms.set('cli', [...rooms.keys()]);

const files = sourceFiles();
/** The entry points of rooms. The list of revisions is an index.ts, too, but not an entry point. */
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

/** Each import cycle once, as a path. */
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
