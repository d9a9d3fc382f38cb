/** What each entry point loads statically. The lists are exact, so that an entry point gains no weight unnoticed. */
import { expect, test } from 'vitest';
import { entryPoints, reach, roomOf } from '../support/source.ts';

const wire = ['errors.ts', 'jsonrpc', 'model', 'peer'];
const neutral = [...wire, 'revisions'];

/** Rooms, packages and `node:` modules behind each entry point, through static imports. */
const expected = new Map<string, { rooms: readonly string[]; outside: readonly string[] }>([
  // `transport` only for httpHandler, which loads the rest with its first request.
  ['.', { rooms: [...neutral, 'index.ts', 'schema', 'server', 'transport'], outside: [] }],
  [
    './node',
    {
      rooms: [...neutral, 'transport'],
      outside: ['node:buffer', 'node:http', 'node:net', 'node:process', 'node:timers'],
    },
  ],
  ['./stdio', { rooms: [...wire, 'transport'], outside: ['node:buffer', 'node:process', 'node:url'] }],
  ['./client', { rooms: [...neutral, 'client', 'connect', 'schema', 'transport'], outside: [] }],
  ['./auth', { rooms: ['auth', 'errors.ts', 'jsonrpc', 'model', 'peer'], outside: [] }],
  [
    './host',
    {
      rooms: [...neutral, 'client', 'connect', 'extensions', 'files', 'host', 'schema', 'terminal', 'transport'],
      outside: [
        ...['node:async_hooks', 'node:buffer', 'node:crypto', 'node:events', 'node:fs', 'node:fs/promises'],
        ...['node:os', 'node:path', 'node:process', 'node:readline/promises', 'node:stream', 'node:string_decoder'],
        'node:url',
      ],
    },
  ],
  [
    './gateway',
    {
      // The lock is a file that names its machine. Nodes of a gateway use HTTP.
      rooms: [...neutral, 'client', 'connect', 'files', 'gateway', 'host', 'schema', 'server', 'stores', 'transport'],
      outside: [
        ...[
          'node:buffer',
          'node:crypto',
          'node:fs',
          'node:fs/promises',
          'node:http',
          'node:net',
          'node:os',
          'node:path',
          'node:process',
        ],
      ],
    },
  ],
  [
    './transport',
    {
      rooms: [...wire, 'transport'],
      outside: ['node:buffer', 'node:child_process', 'node:fs', 'node:process', 'node:string_decoder'],
    },
  ],
  [
    './skills',
    {
      rooms: ['errors.ts', 'extensions', 'files', 'jsonrpc', 'model', 'peer', 'revisions', 'server'],
      outside: [
        ...['node:buffer', 'node:crypto', 'node:fs', 'node:fs/promises', 'node:path', 'node:process', 'node:url'],
      ],
    },
  ],
  // Files are read with Node's module where it exists: apps also run in pages and at the edge.
  ['./apps', { rooms: ['errors.ts', 'extensions', 'jsonrpc', 'model', 'server'], outside: [] }],
  // Runs in a frame: needs JSON types and the clock.
  ['./view', { rooms: ['errors.ts', 'extensions', 'jsonrpc', 'peer'], outside: [] }],
  [
    './sandbox',
    {
      rooms: ['errors.ts', 'extensions', 'jsonrpc', 'model'],
      outside: ['node:buffer', 'node:crypto', 'node:events', 'node:http'],
    },
  ],
  // Runs in a page of a host: the bridge is the peer of the view.
  ['./frame', { rooms: ['errors.ts', 'extensions', 'jsonrpc', 'model', 'peer'], outside: [] }],
  ['./tasks', { rooms: ['errors.ts', 'extensions', 'model', 'server', 'stores'], outside: ['node:process'] }],
  // The application brings the Redis client.
  ['./redis', { rooms: ['errors.ts', 'model', 'peer', 'server', 'stores'], outside: [] }],
  // The application brings the OpenTelemetry API.
  ['./otel', { rooms: ['errors.ts', 'jsonrpc', 'model', 'peer', 'telemetry'], outside: ['@opentelemetry/api'] }],
  [
    './testing',
    { rooms: [...neutral, 'client', 'connect', 'recording', 'schema', 'testing', 'transport'], outside: [] },
  ],
]);

test('every entry point is listed here', () => {
  expect([...entryPoints().keys()].sort()).toEqual([...expected.keys()].sort());
});

test.each([...entryPoints()])('the entry point %s reaches what it promises and no more', (entryPoint, entry) => {
  const { files, outside } = reach(entry);
  const rooms = [...new Set(files.map(roomOf))].sort();
  expect({ rooms, outside }).toEqual({
    rooms: [...(expected.get(entryPoint)?.rooms ?? [])].sort(),
    outside: [...(expected.get(entryPoint)?.outside ?? [])].sort(),
  });
});

test('a host that shows no views loads nothing of them but the names of the extension', () => {
  const { files } = reach(entryPoints().get('./host') ?? '');
  const ofApps = files.filter((file) => file.startsWith('src/extensions/') || file.startsWith('src/host/apps/'));
  expect(ofApps).toEqual(['src/extensions/apps/apps-names.ts']);
});

test('the entry point for server authors runs on any runtime', () => {
  const { files, outside } = reach(entryPoints().get('.') ?? '');
  expect(outside).toEqual([]);
  expect(files.filter((file) => ['client', 'connect', 'host'].includes(roomOf(file)))).toEqual([]);
  const carried = files.filter((file) => roomOf(file) === 'transport');
  expect(carried).toEqual(['src/transport/http/guard.ts', 'src/transport/http/handler.ts']);
});
