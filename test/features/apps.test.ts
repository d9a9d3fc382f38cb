/** Apps, in every revision: negotiated, found through tools, read as resources, with a text fallback. */
import { describe, expect } from 'vitest';
import { PAGE, PANEL } from '../fixtures/apps.ts';
import { everyRevision, type Scene, type SceneOptions } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

const UI = 'io.modelcontextprotocol/ui';
const hostWith = (settings: Readonly<Record<string, unknown>>): SceneOptions => ({
  fixture: 'apps',
  connect: { extensions: { [UI]: { settings } } },
});
const withApps = hostWith({ mimeTypes: ['text/html;profile=mcp-app'] });
const without: SceneOptions = { fixture: 'apps' };
const toolsOf = async ({ client, wire }: Scene): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  await client.list('tools').all();
  return wire.result('tools/list')['tools'] as readonly Readonly<Record<string, unknown>>[]; // a list of tools
};
const names = (tools: readonly Readonly<Record<string, unknown>>[]): unknown[] => tools.map(({ name }) => name);

describe('a server with an app', () => {
  everyRevision('declares the extension, with nothing to set', withApps, async ({ client }) => {
    verifies('EXT-11');
    expect(client.server.capabilities.extensions).toEqual({ [UI]: {} });
  });

  everyRevision('tells a host with apps which tool has one, and for whom it is', withApps, async (scene) => {
    verifies('APP-2', 'APP-9');
    const tools = await toolsOf(scene);
    expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['ships', { ui: { resourceUri: PANEL } }],
      ['refresh', { ui: { resourceUri: PANEL, visibility: ['app'] } }],
      ['report', { ui: { resourceUri: PANEL, visibility: ['model'] } }],
    ]);
  });

  everyRevision(
    'hides tools for the app alone from a host without apps, and lets it call them',
    without,
    async (scene) => {
      verifies('APP-7');
      expect(names(await toolsOf(scene))).toEqual(['ships', 'report']);
      expect((await scene.client.call('refresh')).text).toBe('Ada');
    },
  );

  for (const [odd, settings] of [
    ['no types', {}],
    ['other types', { mimeTypes: ['text/html'] }],
    ['a text', { mimeTypes: 'text/html;profile=mcp-app' }],
    ['null', { mimeTypes: null }],
  ] as const) {
    everyRevision(`takes a host with ${odd} for one without apps`, hostWith(settings), async (scene) => {
      verifies('EXT-9', 'BASE-084');
      expect(names(await toolsOf(scene))).toEqual(['ships', 'report']);
    });
  }

  const shared: SceneOptions = {
    ...withApps,
    server: { cache: { ttlMs: 5_000, cacheScope: 'public' } },
    since: '2026-07-28',
  };
  everyRevision(
    'never shares a list that differs by host, and keeps the time its author wrote',
    shared,
    async (scene) => {
      await toolsOf(scene);
      expect(scene.wire.result('tools/list')).toMatchObject({ cacheScope: 'private', ttlMs: 5_000 });
    },
  );
  everyRevision('keeps such a list for no time by default', { ...withApps, since: '2026-07-28' }, async (scene) => {
    await toolsOf(scene);
    expect(scene.wire.result('tools/list')).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
  });

  everyRevision('serves the page as a resource that no list shows', withApps, async ({ client, wire }) => {
    verifies('APP-3', 'APP-6');
    expect(await client.list('resources').all()).toEqual([]);
    await client.read(PANEL);
    const ui = { csp: { connectDomains: ['https://ais.example'] }, prefersBorder: true };
    expect(wire.result('resources/read')['contents']).toEqual([
      { uri: PANEL, mimeType: 'text/html;profile=mcp-app', text: PAGE, _meta: { ui } },
    ]);
  });

  everyRevision('reads well in a host without apps', without, async ({ client, wire }) => {
    verifies('APP-7', 'APP-8');
    const { text } = await client.call('ships');
    expect(text).toContain('In the harbour: Ada, Bo');
    const content = wire.result('tools/call')['content'] as readonly { text: string }[]; // blocks of text
    expect(content[0]?.text).toBe('In the harbour: Ada, Bo');
  });
});
