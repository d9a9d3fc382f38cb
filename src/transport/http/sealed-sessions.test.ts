/** Sealed sessions in one process: how long an id is valid, and the calls that are open in its session. */
import { describe, expect, test, vi } from 'vitest';
import { type Port, port } from '../../../test/fixtures/port.ts';
import { knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { call, note, opened, request } from '../../../test/support/http-messages.ts';
import { clientInfo, hello } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { tool } from '../../index.ts';
import { principalOf } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { HttpOptions } from './http-settings.ts';
import { SessionSealer } from './sealed-id.ts';
import type { EndedSessions } from './sealed-session-spec.ts';
import { HttpService } from './service.ts';

const key = new Uint8Array(32);

interface Sealed extends Port {
  readonly service: HttpService;
  readonly clock: HeldClock;
  status(id: string | undefined): Promise<number>;
}

function serve(options: HttpOptions = {}, ended?: EndedSessions): Sealed {
  const [made, clock] = [port(), new HeldClock()];
  const service = new HttpService(made.server, { sessions: { sealed: [key], ended }, clock, ...options });
  const status: Sealed['status'] = async (id) =>
    (await knock(service, { headers: { 'mcp-session-id': id }, body: request(1, 'ping') })).status;
  return { ...made, service, clock, status };
}

/** Seals an id as another process with the same key would, for an anonymous caller. */
async function sealedId(revision: string, began: number): Promise<string> {
  const principal = (await digestText(principalOf(undefined))).slice(0, 22);
  return new SessionSealer([key]).seal({ revision, caller: { capabilities: {} }, principal, began }, '/mcp');
}

describe('the id of a session', () => {
  test('a sealed id is valid for exactly the lifetime of a session', async () => {
    const { clock, status } = serve({ sessionLifeMs: 10_000 });
    const id = await sealedId('2025-11-25', clock.wall());
    await clock.pass(10_000);
    expect(await status(id)).toBe(200);
    await clock.pass(1);
    expect(await status(id)).toBe(404);
  });

  test('a sealed id from a clock that is ahead is valid, unless it is ahead by more than the lifetime of a session', async () => {
    const { clock, status } = serve({ sessionLifeMs: 60 * 60_000 });
    const ahead = (ms: number): Promise<string> => sealedId('2025-11-25', clock.wall() + ms);
    expect(await status(await ahead(60 * 60_000))).toBe(200);
    await clock.pass(999);
    // Ids store seconds.
    expect(await status(await ahead(60 * 60_000 + 1))).toBe(404);
  });

  test('an ended session stays on the list for as long as its id is valid on any clock', async () => {
    const [clock, lives] = [new HeldClock(), new Map<string, number>()];
    const ended: EndedSessions = {
      add: (name, ttlMs) => void lives.set(name, clock.wall() + ttlMs),
      has: (name) => (lives.get(name) ?? 0) > clock.wall(),
    };
    const { service, status } = serve({ clock, sessionLifeMs: 60 * 60_000 }, ended);
    const id = await sealedId('2025-11-25', clock.wall() + 50 * 60_000);
    expect((await knock(service, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status).toBe(204);
    for (let minutes = 0; minutes <= 120; minutes++) {
      expect([minutes, await status(id)]).toEqual([minutes, 404]);
      await clock.pass(60_000);
    }
  });

  test('a sealed id is decrypted once and then cached', async () => {
    const { clock, status } = serve();
    const id = await sealedId('2025-11-25', clock.wall());
    const open = vi.spyOn(SessionSealer.prototype, 'open');
    expect([await status(id), await status(id), open.mock.calls.length]).toEqual([200, 200, 1]);
    open.mockRestore();
  });

  test('the cache holds a thousand decrypted ids, and invalid ids do not count', async () => {
    const { clock, status } = serve();
    const id = await sealedId('2025-11-25', clock.wall());
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => sealedId('2025-11-25', clock.wall())));
    const open = vi.spyOn(SessionSealer.prototype, 'open');
    const opened = async (used: readonly string[]): Promise<number> => {
      for (const one of used) await status(one);
      open.mockClear();
      expect(await status(id)).toBe(200);
      return open.mock.calls.length;
    };
    const strange = Array.from({ length: 1_000 }, (_, at) => `strange-${at}`);
    expect([await opened([id, ...strange]), await opened(ids.slice(1)), await opened(ids)]).toEqual([0, 0, 1]);
    open.mockRestore();
  });

  test('a request without a session id gets an error with the id of the request', async () => {
    const { json, status } = await knock(serve().service, { body: request('it', 'ping') });
    expect([status, json['id'], json.error?.code]).toEqual([400, 'it', -32600]);
  });

  test('a sealed session has the client info, even if the client cannot be sent requests', async () => {
    const { server, service } = serve();
    server.add(tool({ name: 'who', run: (_input, ctx) => JSON.stringify(ctx.caller) }));
    const { json } = await knock(service, { headers: await opened(service, '2025-11-25'), body: call(1, 'who') });
    const [{ text }] = (json['result'] as { content: [{ text: string }] }).content;
    expect(JSON.parse(text)).toEqual({ info: clientInfo, capabilities: {} });
  });

  test('a sealed session cannot answer questions, whatever its client declared', async () => {
    const { server, service } = serve();
    server.add(tool({ name: 'who', run: (_input, ctx) => JSON.stringify(ctx.caller.capabilities) }));
    const declared = { elicitation: {}, sampling: {}, roots: {} };
    const met = await knock(service, { body: request(1, 'initialize', hello('2025-11-25', declared)) });
    const headers = { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
    const { json } = await knock(service, { headers, body: call(1, 'who') });
    expect(json['result']).toMatchObject({ content: [{ text: '{}' }] });
  });

  test('a sealed id with an unknown revision is invalid', async () => {
    const { clock, status } = serve();
    expect(await status(await sealedId('2099-01-01', clock.wall()))).toBe(404);
  });

  test('a sealed id with a revision that the server no longer supports is invalid', async () => {
    const { clock } = serve();
    const [older, newer] = [await sealedId('2025-06-18', clock.wall()), await sealedId('2025-11-25', clock.wall())];
    const offered = port({ revisions: ['2025-11-25'] }).server;
    const service = new HttpService(offered, { sessions: { sealed: [key] }, clock });
    const status = async (id: string): Promise<number> =>
      (await knock(service, { headers: { 'mcp-session-id': id }, body: request(1, 'ping') })).status;
    expect([await status(older), await status(newer)]).toEqual([404, 200]);
  });
});

describe('a call that is open in a sealed session', () => {
  async function waiting(served: Sealed, headers: Record<string, string | undefined>, id = 1) {
    const before = served.ran();
    const { reply, done } = started(served.service, { headers, body: call(id, 'wait') });
    await soon(() => expect(served.ran()).toBe(before + 1));
    return { reply, done };
  }

  test('ending a sealed session cancels its calls, and none of other sessions', async () => {
    const names = new Set<string>();
    const ended = { add: (name: string) => void names.add(name), has: (name: string) => names.has(name) };
    const served = serve({}, ended);
    const { service, aborted, go } = served;
    const [mine, other] = [await opened(service, '2025-11-25'), await opened(service, '2025-11-25')];
    const calls = [await waiting(served, mine), await waiting(served, other)];
    expect((await knock(service, { method: 'DELETE', headers: mine })).status).toBe(204);
    expect(aborted).toEqual([expect.stringContaining('the client ended the session')]);
    go();
    await Promise.all(calls.map(({ done }) => done));
    expect(calls[1]?.reply.json['result']).toMatchObject({ content: [{ text: 'went on' }] });
  });

  test('a session that another process has ended is over, also where a call of it is open', async () => {
    const names = new Set<string>();
    const served = serve({}, { add: (name) => void names.add(name), has: (name) => names.has(name) });
    const headers = await opened(served.service, '2025-11-25');
    const { done } = await waiting(served, headers);
    const other = serve({}, { add: (name) => void names.add(name), has: (name) => names.has(name) });
    expect((await knock(other.service, { method: 'DELETE', headers })).status).toBe(204);
    expect(await served.status(headers['mcp-session-id'])).toBe(404);
    served.go();
    await done;
  });

  test('concurrent requests of a sealed session share one session object', async () => {
    const served = serve();
    const { service, aborted, go } = served;
    const headers = await opened(service, '2025-11-25');
    const first = await waiting(served, headers);
    for (const id of [2, 3]) await knock(service, { headers, body: request(id, 'ping') });
    const second = await waiting(served, headers, 4);
    // The id of an open request cannot be used again in this session.
    expect((await knock(service, { headers, body: request(1, 'ping') })).json.error?.code).toBe(-32600);
    expect((await knock(service, { headers, body: note('notifications/cancelled', { requestId: 1 }) })).status).toBe(
      202,
    );
    expect(aborted).toHaveLength(1);
    go();
    await Promise.all([first.done, second.done]);
    expect(second.reply.json['result']).toMatchObject({ content: [{ text: 'went on' }] });
  });

  test('a call in a sealed session is cancelled when shutdown times out', async () => {
    const served = serve();
    const { service, clock, aborted, go } = served;
    const { done } = await waiting(served, await opened(service, '2025-11-25'));
    const closing = service.close(1_000);
    await clock.pass(1_000);
    await closing;
    expect(aborted).toEqual([expect.stringContaining('the server is shutting down')]);
    go();
    await done;
  });
});
