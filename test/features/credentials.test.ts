/** A client whose credentials change: the next caller gets no data of the previous one. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createHost } from '../../src/host/create-host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { createServer, httpHandler, resource, tool } from '../../src/index.ts';
import { isObject } from '../../src/jsonrpc/message.ts';
import type { AuthRequest, ClientAuth } from '../../src/model/auth.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import { settled } from '../support/held-clock.ts';
import { STATELESS } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const url = 'http://localhost/mcp';
const hours = { ttlMs: 3_600_000 };
const mail = (cacheScope: 'public' | 'private'): ReturnType<typeof resource> =>
  resource({
    uri: `mail://${cacheScope}`,
    name: cacheScope,
    cache: { ...hours, cacheScope },
    read: (_, ctx) => `mail of ${ctx.auth?.subject}`,
  });

const office = createServer({
  name: 'office',
  version: '1',
  hideUnauthorized: true,
  cache: { ...hours, cacheScope: 'private' },
  parts: [
    tool({ name: 'look', run: (_, ctx) => `seen by ${ctx.auth?.subject}` }),
    tool({ name: 'pay', scopes: ['pay'], run: () => 'paid' }),
    mail('private'),
    mail('public'),
  ],
});

/** The token is the name of the caller; only Ada can pay. */
const judge = (request: AuthRequest): AuthInfo => {
  const subject = request.header('authorization')?.replace('Bearer ', '').replace(/#.*/, '') ?? 'none';
  return { subject, scopes: subject === 'ada' ? ['pay'] : [] };
};

/** A server that records its messages, and a client whose caller changes between requests. */
function served(): { sent: string[]; fetch: typeof fetch; auth: ClientAuth; as(token: string): void } {
  const handle = httpHandler(office, { auth: judge });
  const sent: string[] = [];
  let token = 'ada';
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const message: unknown = await request.clone().json();
      if (isObject(message)) sent.push(`${message['method']} ${request.headers.get('authorization')?.slice(7)}`);
      return handle(request);
    },
    auth: () => ({
      headers: () => ({ authorization: `Bearer ${token}`, dpop: crypto.randomUUID() }),
      onChallenge: () => false,
    }),
    as: (next) => {
      token = next;
    },
  };
}

describe('a client whose token changes', () => {
  test('reads nothing that was private to the former token', async () => {
    verifies('CACHE-13');
    const { sent, as, ...options } = served();
    await using client = await connect(url, { ...options, revisions: [STATELESS] });
    expect((await client.read('mail://private')).text).toBe('mail of ada');
    expect((await client.read('mail://private')).text).toBe('mail of ada');
    as('eve');
    expect((await client.read('mail://private')).text).toBe('mail of eve');
    as('ada');
    expect((await client.read('mail://private')).text).toBe('mail of ada');
    expect(sent.filter((one) => one.startsWith('resources/read'))).toEqual([
      'resources/read ada',
      'resources/read eve',
      'resources/read ada',
    ]);
  });

  test('lists what the new token may see', async () => {
    verifies('CACHE-13');
    const { sent: _, as, ...options } = served();
    await using client = await connect(url, { ...options, revisions: [STATELESS] });
    const names = async (): Promise<string[]> => (await client.list('tools').all()).map(({ name }) => name);
    expect(await names()).toEqual(['look', 'pay']);
    as('eve');
    expect(await names()).toEqual(['look']);
  });

  test('still shares what is public', async () => {
    verifies('CACHE-14');
    const { sent: _, as, ...options } = served();
    await using client = await connect(url, { ...options, revisions: [STATELESS] });
    expect((await client.read('mail://public')).text).toBe('mail of ada');
    as('eve');
    expect((await client.read('mail://public')).text).toBe('mail of ada');
  });

  test('keeps no answer whose token changed while it was on its way', async () => {
    verifies('CACHE-13');
    const { as, fetch: send, auth } = served();
    const slow: typeof fetch = async (input, init) => {
      const answer = await send(input, init);
      if (typeof init?.body === 'string' && init.body.includes('resources/read')) {
        as('eve');
        await client.call('look');
        as('ada');
      }
      return answer;
    };
    const client = await connect(url, { fetch: slow, auth, revisions: [STATELESS] });
    await client.read('mail://private');
    as('eve');
    expect((await client.read('mail://private')).text).toBe('mail of eve');
    await client.close();
  });
});

describe('a host whose token for a server changes', () => {
  test('lists, after the next request, what the new token may see', async () => {
    verifies('CACHE-13');
    const { as, fetch, auth } = served();
    const servers = { office: { url, fetch, auth } };
    await using host = createHost({ servers, policy: [rules.allow({})], health: false, onWarning: () => undefined });
    const session = host.session();
    const names = async (): Promise<string[]> => (await session.tools()).map(({ name }) => name);
    expect(await names()).toEqual(['office.look', 'office.pay']);
    expect((await session.read('office', 'mail://private')).text).toBe('mail of ada');
    as('eve');
    expect((await session.read('office', 'mail://private')).text).toBe('mail of eve');
    await settled();
    expect(await names()).toEqual(['office.look']);
  });
});
