/** Templates that list their resources, in every revision. */
import { expect } from 'vitest';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

everyRevision(
  'a template lists its resources, page by page, among the others',
  { fixture: 'berths', connect: { name: 'pilot', version: '1' } },
  async ({ client, revision, wire }) => {
    verifies('RES-1', 'RES-3', 'RES-6', 'RES-7', 'PAGE-1', 'CACHE-1');
    expect(client.server.capabilities.resources).toEqual({ subscribe: true, listChanged: true });
    const pages: string[][] = [];
    for await (const page of client.list('resources').pages()) pages.push(page.map(({ uri }) => uri));
    expect(pages).toEqual([
      ['berths://chart', 'berths://quays/a'],
      ['berths://quays/b', 'berths://boats/fram'],
      ['berths://boats/beagle', 'berths://boats/vega'],
    ]);

    const listed = await client.list('resources').all();
    const [, quay, long, museum, beagle] = listed;
    const shared = {
      annotations: { priority: 0.2 },
      _meta: { 'example.berths/shelf': 1 },
      ...(revision >= '2025-11-25' ? { icons: [{ src: 'https://berths.example/quay.png' }] } : {}),
    };
    expect(quay).toEqual({
      ...shared,
      uri: 'berths://quays/a',
      name: 'berths://quays/a',
      description: 'A quay by its letter',
      mimeType: 'text/plain',
      ...(revision >= '2025-06-18' ? { title: 'A quay' } : {}),
    });
    expect(long).toEqual({
      ...shared,
      uri: 'berths://quays/b',
      name: 'b',
      description: 'The long one',
      mimeType: 'text/markdown',
      size: 6,
    });
    expect(museum).toEqual({ uri: 'berths://boats/fram', name: 'museum' });
    expect(beagle).toEqual({ uri: 'berths://boats/beagle', name: 'beagle', description: 'For pilot' });
    for (const { uri } of listed) expect((await client.read(uri)).text).not.toBe('');

    if (revision >= '2026-07-28') {
      expect(wire.result('resources/list')).toMatchObject({ ttlMs: 5_000, cacheScope: 'private' });
      await client.list('templates').all();
      expect(wire.result('resources/templates/list')).toMatchObject({ cacheScope: 'public' });
    }

    await using changes = client.watch({ resources: true });
    await changes.granted;
    await client.call('moor');
    expect(await changes.nextChange()).toEqual({ kind: 'resources' });
    const again = await client.list('resources').all();
    expect(again.map(({ uri }) => uri).slice(-2)).toEqual(['berths://boats/vega', 'berths://boats/yawl']);
  },
);
