/** A page that uses our client with a server of another origin, checks the results, and reports them. */
import { type Change, type Client, type ConnectOptions, connect, McpError } from 'mooring/client';
import type { Act, Plan, Seen, Verdict } from './plan.ts';

const tell = (verdict: Verdict): Promise<unknown> =>
  fetch('/verdict', { method: 'POST', body: JSON.stringify(verdict) });
const act = async (what: Act): Promise<Seen> => {
  const response = await fetch('/act', { method: 'POST', body: what });
  return (await response.json()) as Seen; // our own server
};

async function check(what: string, holds: () => Promise<void>): Promise<void> {
  try {
    await holds();
    await tell({ what });
  } catch (thrown) {
    await tell({ what, why: String(thrown) });
  }
}

function same(got: unknown, wanted: unknown): void {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`expected ${b}, got ${a}`);
}

async function eventually(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  // The timeout only tells slow from never.
  const until = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`timed out waiting for ${what}`);
    await pause(20);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const options = (revision: string): ConnectOptions => ({
  revisions: [revision],
  elicit: () => ({ action: 'accept', content: { confirm: true } }),
});

async function calls(client: Client, revision: string): Promise<void> {
  await check(`${revision}: a call brings its answer, and progress before it`, async () => {
    const progress: number[] = [];
    const { text } = await client.call('count', { to: 3 }, { onProgress: (at) => void progress.push(at.progress) });
    same([text, progress], ['counted to 3', [1, 2, 3]]);
  });
  if (revision >= '2025-06-18') {
    await check(
      `${revision}: structured output is checked without code generation, which the page forbids`,
      async () => {
        same((await client.call('typed')).data, { depth: 12 });
      },
    );
  }
  const began = (before: Seen): Promise<void> =>
    eventually('the call', async () => (await act('look')).ran > before.ran);
  await check(`${revision}: a call that says nothing for long is answered`, async () => {
    const before = await act('look');
    const answer = client.call('wait');
    await began(before);
    await pause(600);
    await act('go');
    same((await answer).text, 'went on');
  });
  await check(`${revision}: a server that lets the connection go is asked again`, async () => {
    const before = await act('look');
    const answer = client.call('later');
    await began(before);
    await pause(400);
    await act('go');
    same((await answer).text, revision === '2025-11-25' ? 'later' : 'here');
  });
  await check(`${revision}: a call that is cancelled is cancelled on the server`, async () => {
    const before = await act('look');
    const control = new AbortController();
    const answer = client.call('wait', {}, { signal: control.signal }).catch((error: unknown) => error);
    await began(before);
    control.abort();
    same(((await answer) as McpError).code, 'MCP_CANCELLED'); // cancelled, and nothing else
    await eventually('its end', async () => (await act('look')).aborted === before.aborted + 1);
  });
}

async function news(client: Client, revision: string): Promise<void> {
  await check(`${revision}: news comes by itself`, async () => {
    const control = new AbortController();
    const heard: Change[] = [];
    const watch = client.watch({ tools: true }, { signal: control.signal });
    const reading = (async (): Promise<void> => {
      for await (const one of watch) heard.push(one);
    })();
    await watch.granted;
    // The standing stream of a session opens concurrently with the first responses.
    await eventually('news', async () => {
      await act('news');
      await pause(50);
      return heard.length > 0;
    });
    same(heard[0], { kind: 'tools' });
    control.abort();
    await reading;
  });
}

async function inRevision({ open, sse }: Plan, revision: string): Promise<void> {
  const connecting = connect(revision === '2024-11-05' ? sse : open, options(revision));
  await check(`${revision}: the page connects`, async () => same((await connecting).server.revision, revision));
  const client = await connecting;
  await calls(client, revision);
  await news(client, revision);
  if (revision >= '2025-06-18') {
    await check(`${revision}: the page answers a question`, async () => {
      same((await client.call('sure')).text, 'yes');
    });
  }
  if (revision >= '2026-07-28') {
    await check(`${revision}: arguments are repeated in headers that the browser lets through`, async () => {
      same((await client.call('route', { region: 'Zürich', zone: 7, fast: true })).text, 'routed');
    });
  }
  await check(`${revision}: the conversation ends`, () => client.close());
}

/** A nested page that is removed during a call. */
async function left(revision: string): Promise<void> {
  const before = await act('look');
  const frame = document.createElement('iframe');
  frame.src = `/?frame=${revision}`;
  document.body.append(frame);
  await eventually('the call', async () => (await act('look')).ran > before.ran);
  frame.remove();
  if (revision >= '2026-07-28')
    await eventually('its end', async () => (await act('look')).aborted === before.aborted + 1);
  else {
    await pause(300);
    same((await act('look')).aborted, before.aborted);
    await act('go');
  }
}

async function refused(closed: readonly string[]): Promise<void> {
  for (const url of closed) {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      await check(`${revision}: a page that was not named gets nothing from ${new URL(url).pathname}`, async () => {
        const before = await act('look');
        const error = await connect(url, options(revision)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (!(error instanceof McpError)) throw new Error(`connecting ended with ${String(error)}`);
        same((await act('look')).ran, before.ran);
      });
    }
  }
}

async function main(): Promise<void> {
  const plan = (await (await fetch('/plan')).json()) as Plan; // our own server
  const frame = new URLSearchParams(location.search).get('frame');
  if (frame !== null) {
    const client = await connect(plan.open, options(frame));
    await client.call('wait', {}, { onProgress: () => undefined });
    return;
  }
  await check('a page cannot start a process, and is told so', async () => {
    const error = await connect({ command: 'ls' }).catch((thrown: unknown) => thrown);
    same(error instanceof McpError ? error.code : error, 'MCP_BAD_DEFINITION');
  });
  for (const revision of plan.revisions) await inRevision(plan, revision);
  for (const revision of ['2026-07-28', '2025-11-25']) {
    await check(`${revision}: leaving the page ${revision >= '2026-07-28' ? 'cancels the call' : 'does not'}`, () =>
      left(revision),
    );
  }
  await refused(plan.closed);
  await act('done');
  // Still open when the browser is closed.
  const last = await connect(plan.open, options('2026-07-28'));
  await last.call('wait');
}

void main().catch((thrown: unknown) => tell({ what: 'the page runs to its end', why: String(thrown) }));
