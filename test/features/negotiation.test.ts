/** Client and server negotiate the newest revision they share, over every transport. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { FixtureName } from '../fixtures/named.ts';
import { type TransportName, wayTo } from '../support/every-revision.ts';
import { officialSchema } from '../support/official-schema.ts';
import { type Overheard, tap } from '../support/tap.ts';
import { verifies } from '../support/verifies.ts';

const handshakes = revisions.filter(({ hasSessions }) => hasSessions).map(({ id }) => id);

describe.each<TransportName>(['memory', 'stdio'])('over %s', (transport) => {
  const meet = async (fixture: FixtureName, ours?: readonly string[]): Promise<[string, readonly string[]]> => {
    const log: Overheard[] = [];
    const tapped = tap((await wayTo({ fixture, transport })).transport, log);
    await using client = await connect(tapped, ours === undefined ? {} : { revisions: ours });
    await client.call('tide', { port: 'Kiel' });
    const said = log.flatMap(({ side, message }) => (side === '>' && 'method' in message ? [message.method] : []));
    return [client.server.revision, said];
  };

  test('the newest revision needs no handshake', async () => {
    verifies('DISC-6');
    const [revision, said] = await meet('harbour');
    expect(revision).toBe('2026-07-28');
    expect(said.slice(0, 2)).toEqual(['server/discover', 'tools/call']);
  });

  test('a server that knows only handshakes is met with one', async () => {
    verifies('DISC-6');
    const [revision, said] = await meet('old');
    expect(revision).toBe('2025-11-25');
    expect(said.slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  test('a client that knows only handshakes never asks for anything else', async () => {
    const [revision, said] = await meet('harbour', handshakes);
    expect(revision).toBe('2025-11-25');
    expect(said).not.toContain('server/discover');
  });

  test.each(handshakes)('a client that speaks %s alone is served in it', async (id) => {
    expect((await meet('old', [id]))[0]).toBe(id);
  });

  test('two sides with nothing in common say so', async () => {
    await expect(meet('new', ['2025-11-25', '2024-11-05'])).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
    await expect(meet('old', ['2026-07-28'])).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
  });
});

test('what a server says to a stranger is what the official schema allows', async () => {
  const log: Overheard[] = [];
  const transport = tap((await wayTo({ fixture: 'old', transport: 'memory' })).transport, log);
  await using _client = await connect(transport);
  const schema = officialSchema('2025-11-25');
  expect(log.filter(({ side }) => side === '<').flatMap((entry) => schema.faultsOf(entry))).toEqual([]);
});
