/** Warnings about a Redis server that becomes unreachable. */
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { Shell } from '../shell.ts';
import { openRedis } from './open-redis.ts';

/** A fake package `redis`, whose client connects at once, with a reply that the test sets. */
const fakePackage = (reply: unknown): string => `
  import { EventEmitter } from 'node:events';
  export function createClient() {
    return Object.assign(new EventEmitter(), {
      connect: async () => undefined,
      destroy: () => {
        globalThis.destroyedRedis = (globalThis.destroyedRedis ?? 0) + 1;
      },
      duplicate: () => createClient(),
      sendCommand: async () => (${JSON.stringify(reply)}),
      on(name, listener) {
        globalThis.emitRedis ??= (...event) => this.emit(...event);
        return EventEmitter.prototype.on.call(this, name, listener);
      },
    });
  }
`;

/** A project with that package. */
async function projectOf(reply: unknown) {
  const place = await folder();
  const at = join(place.path, 'node_modules', 'redis');
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'package.json'), '{ "name": "redis", "type": "module", "exports": "./index.js" }');
  await writeFile(join(at, 'index.js'), fakePackage(reply));
  const shell = { cwd: place.path, clock: virtualClock() } as unknown as Shell; // the members that are used
  return { shell, path: place.path, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

test('a Redis that goes away is warned of once each time, however often connecting to it fails', async () => {
  await using project = await projectOf([]);
  const warnings: string[] = [];
  const opened = await openRedis({ redis: 'redis://127.0.0.1:6379' }, project.shell, (one) => void warnings.push(one));
  const { emitRedis: emit } = globalThis as unknown as { emitRedis(event: string, error?: Error): void }; // the fake package sets it
  for (const reason of ['ECONNREFUSED 1', 'ECONNREFUSED 2']) {
    emit('error', new Error(reason));
    emit('error', new Error(reason));
    emit('ready');
  }
  opened.close();
  expect(warnings).toEqual(['Redis is unreachable: ECONNREFUSED 1', 'Redis is unreachable: ECONNREFUSED 2']);
});

test('a node of a Redis Cluster is rejected at the start, and not with every third key', async () => {
  await using project = await projectOf('# Cluster\r\ncluster_enabled:1\r\n');
  const opening = openRedis({ redis: 'redis://ada:hunter2@127.0.0.1:6379' }, project.shell, () => undefined);
  await expect(opening).rejects.toMatchObject({
    message:
      'stores.redis: 127.0.0.1:6379 is part of a Redis Cluster, which gateway files do not support. Use a standalone Redis server, or call createGateway with the cluster client of the redis package',
  });
});

test('a gateway that cannot listen disconnects from Redis, whose connection would keep the process running', async () => {
  await using project = await projectOf([]);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  const file = `listen: { address: 127.0.0.1:${port} }
stores: { redis: redis://127.0.0.1:6379 }
upstreams: { shop: { url: http://127.0.0.1:1/mcp } }
`;
  await writeFile(join(project.path, 'gateway.yaml'), file);
  const destroyed = (): number => Number(Reflect.get(globalThis, 'destroyedRedis') ?? 0);
  const before = destroyed();
  const { code, stderr } = await mooring(['gateway', 'gateway.yaml'], { cwd: project.path });
  other.close();
  expect(stderr).toContain(`another process listens on 127.0.0.1:${port}`);
  expect(code).toBe(2);
  expect(destroyed()).toBeGreaterThan(before);
});
