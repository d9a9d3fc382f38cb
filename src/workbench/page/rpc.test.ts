/** The page's connection: tokens and pending requests, with responses that come late. */
import { afterEach, expect, test, vi } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { RpcClient } from './rpc.ts';

type Respond = (response: Response) => void;

afterEach(() => vi.unstubAllGlobals());

/** A client with a token, whose requests the test answers: by path, in order. */
async function opened() {
  const asked: { path: string; token: string; respond: Respond }[] = [];
  const stored = new Map([['mooring-workbench-token', 'old']]);
  vi.stubGlobal('location', { hash: '', pathname: '/' });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  let tell: (data: unknown) => void = () => undefined;
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      set onmessage(listener: (event: { data: unknown }) => void) {
        tell = (data) => listener({ data });
      }
      postMessage(): void {}
    },
  );
  vi.stubGlobal('fetch', (path: string, { headers, signal }: RequestInit) => {
    const [, token = ''] = String((headers as Record<string, string>)['authorization']).split(' ');
    return new Promise<Response>((respond, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
      asked.push({ path, token, respond });
    });
  });
  const stages: string[] = [];
  const client = new RpcClient({ onStage: (stage) => void stages.push(stage), onEvent: () => undefined });
  await client.open();
  const request = async (path: string, token: string): Promise<Respond> => {
    await soon(() => expect(asked.some((one) => one.path === path && one.token === token)).toBe(true));
    return asked.find((one) => one.path === path && one.token === token)?.respond ?? (() => undefined);
  };
  return { client, stages, stored, request, tell: (data: unknown) => tell(data) };
}

const rejected = (): Response => new Response('no', { status: 401 });
const json = (body: object): Response =>
  new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });

test('a response to an old token does not lock a tab that has another one by now', async () => {
  const { client, stages, stored, request, tell } = await opened();
  const late = client.call('policy.rules', {}).catch((error: Error) => error.message);
  const respond = await request('/rpc', 'old');
  tell({ token: 'new' });
  await request('/events', 'new');
  respond(rejected());
  expect(await late).toContain('HTTP status 401');
  expect([stored.get('mooring-workbench-token'), stages]).toEqual(['new', []]);
  const own = client.call('policy.rules', {}).catch((error: Error) => error.message);
  (await request('/rpc', 'new'))(rejected());
  await own;
  expect([stored.size, stages]).toEqual([0, ['locked']]);
});

test.each(['before', 'after'])(
  'a tab that takes over another token %s a response that says "pending" fails the request, whose result it cannot get',
  async (order) => {
    const { client, request, tell } = await opened();
    const pending = client.call('policy.rules', {}).catch((error: Error) => error.message);
    const respond = await request('/rpc', 'old');
    if (order === 'before') tell({ token: 'new' });
    const body = json({ result: { pending: 'p1' } });
    const isRead = vi.spyOn(body, 'json');
    respond(body);
    await soon(() => expect(isRead).toHaveBeenCalled());
    await isRead.mock.results[0]?.value;
    if (order === 'after') tell({ token: 'new' });
    expect(await pending).toContain('The connection was lost before the result arrived');
  },
);

test.each([
  [true, 'The connection was lost before the result arrived'],
  [false, 'policy of ada'],
])('an event "reload" fails pending requests only if events were missed: %s', async (missed, expected) => {
  const { client, request } = await opened();
  const events = new TransformStream<Uint8Array, Uint8Array>();
  const writer = events.writable.getWriter();
  const emit = (method: string, params: object): Promise<void> =>
    writer.write(new TextEncoder().encode(`data: ${JSON.stringify({ method, params })}\n\n`));
  (await request('/events', 'old'))(new Response(events.readable));
  const outcome = client.call('policy.rules', {}).then(
    ({ name }) => name,
    (error: Error) => error.message,
  );
  const body = json({ result: { pending: 'p1' } });
  const isRead = vi.spyOn(body, 'json');
  (await request('/rpc', 'old'))(body);
  await soon(() => expect(isRead).toHaveBeenCalled());
  await isRead.mock.results[0]?.value;
  await emit('reload', { process: 'p', missed });
  await emit('answered', { pending: 'p1', result: { name: 'policy of ada', rules: [] } });
  expect(await outcome).toContain(expected);
});
