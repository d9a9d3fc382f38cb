import { expect, test } from 'vitest';
import { checkTicket, makeTicket, serverIdentity } from './ticket.ts';

const HERE = 'https://a.example/mcp';
const head = { server: HERE, revision: '2026-07-28', tool: 'render' };
const ticket = makeTicket(head, { taskId: 't', createdAt: 0, ttlMs: 5 }, new Set(['a']));

test('a ticket holds the creation time as text, and the keys of the answered questions', () => {
  expect(ticket).toEqual({
    ...head,
    v: 1,
    taskId: 't',
    createdAt: '1970-01-01T00:00:00.000Z',
    ttlMs: 5,
    answered: ['a'],
  });
  const again = makeTicket(head, { taskId: 't', createdAt: '2026-01-01T00:00:00Z', ttlMs: null }, []);
  expect(again).toMatchObject({ createdAt: '2026-01-01T00:00:00Z', ttlMs: null, answered: [] });
  expect(checkTicket(JSON.parse(JSON.stringify(ticket)), HERE)).toEqual(ticket);
  expect(checkTicket(again, HERE)).toBe(again);
});

test.each(['https://b.example/mcp', 'https://a.example/other', '', 'name:a'])(
  'a ticket is not accepted for the other server "%s", which would learn the id of the task',
  (server) => expect(() => checkTicket(ticket, server)).toThrow(/connect to that server/),
);

test.each(['server', 'revision', 'taskId', 'tool', 'createdAt', 'ttlMs', 'answered'])(
  'a ticket without "%s", or with another type of it, is rejected',
  (name) => {
    for (const value of [undefined, {}, true, ['x', 7]])
      expect(() => checkTicket({ ...ticket, [name]: value }, HERE)).toThrow(/a member is missing/);
  },
);

test.each([undefined, null, 'text', 7, [], {}, { v: 2 }, { ...ticket, v: '1' }])('%j is no ticket', (value) => {
  expect(() => checkTicket(value, HERE)).toThrow(/"v" must be 1, not (?!undefined)/);
});

test('a ticket without a version is reported as one whose version is absent', () => {
  expect(() => checkTicket({}, HERE)).toThrow(/not absent/);
});

test('the identity of a server contains no query, no password and no argument', async () => {
  const of = (origin: string | undefined): Promise<string> =>
    serverIdentity(origin, { info: { name: 'fake', version: '1' }, capabilities: {} });
  expect(await of('https://ada:secret@a.example/mcp?key=secret#secret')).toBe(HERE);
  expect(await of('http://a.example/mcp')).toBe('http://a.example/mcp');
  const command = await of('node server.js --key secret');
  expect(command).toMatch(/^command:[\w+/=-]{20,}$/);
  expect(await of('node server.js --key other')).not.toBe(command);
  for (const other of ['file:///server?secret', 'file:///server?https:secret', 'https://', 'http:'])
    expect(await of(other)).toMatch(/^command:[\w+/=-]{20,}$/);
  expect(await of(undefined)).toBe('name:fake');
  expect(await serverIdentity(undefined, { capabilities: {} })).toBe('name:');
});
