/** The owner of a task: a verified caller, a session, or anyone with the id. */
import { expect, test } from 'vitest';
import type { AuthInfo } from '../../model/caller.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { RequestDetails } from '../call.ts';
import { ANYONE, canOpen, ownerOf } from './owner.ts';

interface Caller {
  readonly auth?: Partial<AuthInfo>;
  readonly session?: string;
  readonly hasSessions?: boolean;
}

const owner = async ({ auth, session, hasSessions = true }: Caller): Promise<string> => {
  const push = session === undefined ? undefined : { id: session };
  return ownerOf({ link: { auth }, push, revision: { hasSessions } } as unknown as RequestDetails); // the members that it reads
};

/** Whether the second caller can open a task of the first one. */
const opens = async (first: Caller, second: Caller): Promise<boolean> =>
  canOpen({ owner: await owner(first) } as StoredTask, await owner(second)); // likewise

const ada = { issuer: 'https://id.example', subject: 'ada', scopes: [] };

test('a task of a verified caller is theirs alone, in every session', async () => {
  const mine = { auth: ada, session: 'a' };
  expect(await opens(mine, { auth: ada, session: 'b' })).toBe(true);
  expect(await opens(mine, { auth: ada, hasSessions: false })).toBe(true);
  expect(await opens(mine, { auth: { ...ada, subject: 'bob' }, session: 'a' })).toBe(false);
  expect(await opens(mine, { auth: { ...ada, issuer: 'https://other.example' }, session: 'a' })).toBe(false);
  expect(await opens(mine, { session: 'a' })).toBe(false);
  expect(await opens(mine, {})).toBe(false);
});

test('a task of a session without a verified caller belongs to the session', async () => {
  const mine = { session: 'a' };
  expect(await opens(mine, mine)).toBe(true);
  expect(await opens(mine, { session: 'b' })).toBe(false);
  expect(await opens(mine, { auth: ada, session: 'a' })).toBe(false);
  expect(await opens(mine, {})).toBe(false);
  // The id of a session is a credential, so a store of tasks must not get it.
  expect(await owner(mine)).toMatch(/^s:[\w-]{43}$/);
});

test.each<[string, Caller]>([
  ['no session', {}],
  ['a session that is not kept', { session: '' }],
  ['a connection of a revision without sessions', { session: 'a', hasSessions: false }],
])('every caller who has the id can open a task of %s', async (_what, caller) => {
  expect(await owner(caller)).toBe(ANYONE);
  for (const other of [caller, { session: 'b' }, { auth: ada }]) expect(await opens(caller, other)).toBe(true);
});
