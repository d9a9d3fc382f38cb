/** A sign-in lasts as long as a request waits for it: afterwards the port is closed, and nothing keeps the process alive. */
import { describe, expect, test } from 'vitest';
import { manualSignIn, type OAuthOptions, oauth } from '../../src/auth/index.ts';
import { type Client, connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import type { HttpAuth } from '../../src/model/auth.ts';
import { revisions } from '../../src/revisions/index.ts';
import { type Dock, dock } from '../support/guarded-dock.ts';

const server = createServer({
  name: 'shop',
  version: '1.0.0',
  parts: [
    tool({ name: 'whoami', run: (_, { auth }) => `${auth?.subject}` }),
    tool({ name: 'refund', scopes: ['orders:write'], run: () => 'refunded' }),
  ],
});

/** A slow user with a browser, from the first or second visit on. */
class SlowPerson {
  readonly visits: URL[] = [];
  readonly #hurried: number;
  readonly #came: (() => void)[] = [];

  constructor(hurried = 0) {
    this.#hurried = hurried;
  }

  readonly open = async (url: string): Promise<void> => {
    this.visits.push(new URL(url));
    for (const came of this.#came.splice(0)) came();
    if (this.visits.length <= this.#hurried) await this.agree();
  };

  /** Agrees on the page that was shown last. */
  async agree(): Promise<void> {
    await fetch(this.visits.at(-1) ?? '');
  }

  /** Waits until this many pages are shown. */
  async shown(pages: number): Promise<void> {
    while (this.visits.length < pages) await new Promise<void>((resolve) => this.#came.push(resolve));
  }

  /** Whether the redirect URI still listens. */
  async isAwaited(): Promise<boolean> {
    const back = this.visits.at(-1)?.searchParams.get('redirect_uri') ?? '';
    return fetch(back).then(
      () => true,
      () => false,
    );
  }
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );

const speaking = (revision: string, url: string, options: OAuthOptions): Promise<Client> =>
  connect(url, { revisions: [revision], auth: oauth(options) });

describe.each(revisions.map(({ id }) => id).filter((id) => id !== '2024-11-05'))('in %s', (revision) => {
  test('closing a client ends the sign-in that only it waits for', async () => {
    await using at = await dock(server);
    const person = new SlowPerson(1);
    const client = await speaking(revision, at.url, { open: person.open });
    const call = failure(client.call('refund'));
    await person.shown(2);
    expect(await person.isAwaited()).toBe(true);
    await client.close();
    expect(await call).toMatchObject({ code: 'MCP_CLOSED' });
    await expect.poll(() => person.isAwaited()).toBe(false);
  });

  test('cancelling a request ends the sign-in that only it waits for, without another sign-in', async () => {
    await using at = await dock(server);
    const person = new SlowPerson(1);
    await using client = await speaking(revision, at.url, { open: person.open });
    const control = new AbortController();
    const call = failure(client.call('refund', {}, { signal: control.signal }));
    await person.shown(2);
    control.abort();
    expect(await call).toMatchObject({ code: 'MCP_CANCELLED' });
    await expect.poll(() => person.isAwaited()).toBe(false);
    expect((await client.call('whoami')).text).toBe('ada');
    expect(person.visits).toHaveLength(2);
  });

  test('calling off connect ends the sign-in', async () => {
    await using at = await dock(server);
    const person = new SlowPerson();
    const control = new AbortController();
    const auth = oauth({ open: person.open });
    const connecting = failure(connect(at.url, { revisions: [revision], auth, signal: control.signal }));
    await person.shown(1);
    control.abort();
    expect(await connecting).toMatchObject({ code: 'MCP_CANCELLED' });
    await expect.poll(() => person.isAwaited()).toBe(false);
  });
});

test('a sign-in goes on while another client waits for it', async () => {
  await using at: Dock = await dock(server);
  const person = new SlowPerson();
  const auth = oauth({ open: person.open });
  const control = new AbortController();
  const leaving = failure(connect(at.url, { auth, signal: control.signal }));
  await person.shown(1);
  // Its request waits from when it asks for its header fields.
  let wait: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    wait = resolve;
  });
  const joining = (endpoint: URL): HttpAuth => {
    const shared = auth(endpoint);
    const headers: HttpAuth['headers'] = (request) => {
      const fields = shared.headers(request);
      wait();
      return fields;
    };
    return { headers, onChallenge: (challenged) => shared.onChallenge(challenged) };
  };
  const staying = connect(at.url, { auth: joining });
  await waits;
  control.abort();
  expect(await leaving).toMatchObject({ code: 'MCP_CANCELLED' });
  await person.agree();
  await using client = await staying;
  expect((await client.call('whoami')).text).toBe('ada');
  expect(person.visits).toHaveLength(1);
});

test('a question on a terminal ends with the sign-in', async () => {
  await using at = await dock(server);
  const control = new AbortController();
  let asked: () => void = () => undefined;
  const shown = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const redirectUri = 'http://127.0.0.1:8765/callback';
  let ended = false;
  const ask = ({ signal }: { signal: AbortSignal }): Promise<string> =>
    new Promise((_, reject) => {
      asked();
      signal.addEventListener('abort', () => {
        ended = true;
        reject(new Error('no longer asked'));
      });
    });
  const auth = oauth({ signIn: manualSignIn({ redirectUri, ask }) });
  const connecting = failure(connect(at.url, { auth, signal: control.signal }));
  await shown;
  control.abort();
  expect(await connecting).toMatchObject({ code: 'MCP_CANCELLED' });
  await expect.poll(() => ended).toBe(true);
});
