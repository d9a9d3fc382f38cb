/** A conversation with an upstream that several callers share. */
import { expect, test } from 'vitest';
import { connect } from '../../connect/index.ts';
import { createServer, tool } from '../../index.ts';
import { memoryTransport } from '../../transport/memory.ts';
import { createGateway } from '../index.ts';

const HANDSHAKE = '2025-11-25';

const ofAll = { keyFor: () => 'team', authFor: () => undefined };

test.each([
  [HANDSHAKE, 'without credentials', {}],
  ['2026-07-28', 'without credentials', {}],
  [HANDSHAKE, 'with credentials of their own', { auth: ofAll }],
  ['2026-07-28', 'with credentials of their own', { auth: ofAll }],
])(
  'callers in %s that share a conversation with a handshake, %s, can call, and the upstream can ask none of them',
  async (revision, _which, credentials) => {
    const ask = tool({
      name: 'ask',
      run: (_input, ctx) => ctx.confirm('sure', 'Sure?').then(String, (error: Error) => error.message),
    });
    const server = createServer({ name: 'old', version: '1', parts: [ask], revisions: [HANDSHAKE] });
    const old = { transport: memoryTransport(server), isolate: 'shared', ...credentials } as const;
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { old } });
    let asked = 0;
    const elicit = (): { action: 'accept'; content: { confirm: true } } => {
      asked++;
      return { action: 'accept', content: { confirm: true } };
    };
    await using client = await connect(gateway, { revisions: [revision], elicit });
    expect((await client.call('old__ask')).text).toContain('does not support elicitation/create');
    expect(asked).toBe(0);
  },
);
