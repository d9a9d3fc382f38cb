/** Tests that a view is bound to its server, and the names of its files. */
import { expect, test } from 'vitest';
import type { RequestOptions } from '../../client/index.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import { ActiveCalls } from '../questions/active-calls.ts';
import { SessionActs } from '../session-acts/session-acts.ts';
import { toWireResult, ViewActs } from './view-acts.ts';
import type { ViewSession } from './view-session.ts';

test('a view cannot reach its server after the label was restarted with another command or URL', async () => {
  let fingerprint = 'sha256:a';
  const server = { label: 'shop', identity: () => ({ server: 'shop', fingerprint }) };
  const subject = { server, name: 'stock', facts: { claimed: 'read' }, warnings: [] } as unknown as ActSubject; // the members that are read
  const passed: unknown[] = [];
  const session = {
    catalogue: {
      find: async () => subject,
      findResource: () => subject,
      item: () => ({ definition: { name: 'stock', inputSchema: { type: 'object' } } }),
    },
    acts: {
      actOn: (kind: string) => ({ kind }),
      runAct: async ({ kind }: { kind: string }) => {
        passed.push(kind);
        return { content: [], contents: [], meta: {}, isError: false };
      },
    },
  } as unknown as ViewSession; // the members that are used
  const { callTool, readResource } = new ViewActs(session, subject).handlers({});
  const { signal } = new AbortController();
  await callTool?.('stock', {}, signal);
  await readResource?.('shop://a', signal);
  expect(passed).toEqual(['tool', 'resource']);
  fingerprint = 'sha256:b';
  const closed = { code: 'MCP_CLOSED', details: { why: 'another server has the label of the view now' } };
  await expect(callTool?.('stock', {}, signal)).rejects.toMatchObject(closed);
  await expect(readResource?.('shop://a', signal)).rejects.toMatchObject(closed);
  expect(passed).toHaveLength(2);
});

test.each([
  ['file:///a/report.csv', 'report.csv'],
  ['file:///a/..', 'download'],
  ['C:\\a\\b.txt', 'b.txt'],
  ['file:///a/b%2F..$(id) c.txt', 'b_2F.._id_c.txt'],
  [`file:///${'x'.repeat(101)}`, 'x'.repeat(100)],
  [`file:///x.${'.'.repeat(98)}profile`, 'profile'],
  ['', 'download'],
])('a file of a view with the URI %j is saved as %s, the name in the consent question', async (uri, name) => {
  const asked: string[] = [];
  const session = {
    clock: virtualClock(),
    acts: {
      actOn: (_: string, subject: ActSubject) => ({ name: subject.name }),
      run: (given: RequestOptions, run: (given: RequestOptions) => Promise<unknown>) => run(given),
    },
    gate: {
      pass: async (act: { name: string }, run: () => Promise<unknown>) => {
        asked.push(act.name);
        return run();
      },
    },
  } as unknown as ViewSession; // the members that are used
  const page = { server: { label: 'shop', identity: () => ({}) }, name: 'ui://page' } as unknown as ActSubject; // likewise
  const saved: string[] = [];
  const handlers = new ViewActs(session, page).handlers({ onDownload: (file) => void saved.push(file.name) });
  await handlers.download?.([{ type: 'resource', resource: { uri, text: '' } }], new AbortController().signal);
  expect([saved, asked]).toEqual([[name], [name]]);
});

test('a view whose session is being closed causes no question, message or visit, and no context for the model', async () => {
  const passed: unknown[] = [];
  const gate = { pass: async (act: unknown) => void passed.push(act) };
  const acts = new SessionActs({
    session: { id: 's', principal: 'ada' },
    skillsInUse: () => [],
    ...{ gate, activeCalls: new ActiveCalls() },
  } as unknown as ConstructorParameters<typeof SessionActs>[0]); // the members that are used
  const questions = { open: async () => undefined };
  const session = { clock: virtualClock(), acts, gate, questions } as unknown as ViewSession; // likewise
  const page = { server: { label: 'shop', identity: () => ({}) }, name: 'ui://page' } as unknown as ActSubject; // likewise
  const { message, openLink, updateContext } = new ViewActs(session, page).handlers({ onMessage: () => undefined });
  const content = [{ type: 'text', text: 'Pay the shop' }] as const;
  const { signal } = new AbortController();
  const requests = [
    async () => message?.({ role: 'user', content: [...content] }, signal),
    async () => openLink?.('https://shop.example.test/', signal),
    async () => updateContext?.({ content: [...content] }, signal),
  ];
  for (const send of requests) await send();
  expect(passed).toHaveLength(3);
  await acts.close();
  for (const send of requests) await expect(send()).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  expect(passed).toHaveLength(3);
});

test('toWireResult() returns content, data, metadata and isError as the server sent them, and adds no members', () => {
  const plain = { content: [], text: '', isError: false, meta: {}, data: undefined };
  expect(toWireResult(plain)).toStrictEqual({ content: [] });
  expect(toWireResult({ ...plain, data: null })).toStrictEqual({ content: [], structuredContent: null });
  expect(toWireResult({ ...plain, isError: true, meta: { a: 1 } })).toStrictEqual({
    content: [],
    isError: true,
    _meta: { a: 1 },
  });
});
