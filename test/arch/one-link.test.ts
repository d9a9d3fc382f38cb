/** All conversations use the same tables, and all transports create the same link class. */
import { expect, test } from 'vitest';
import { codeOf, importsOf, sourceFiles } from '../support/source.ts';

const files = (pattern: RegExp): string[] => sourceFiles().filter((file) => pattern.test(codeOf(file)));

/** Links without a transport. The list must only shrink. */
const others = new Map([['src/client/outgoing-call.ts', 'a call of the client, with its deadline']]);

test('transports, sessions and the stateless endpoint make one kind of link', () => {
  const made = files(/implements [\w, ]*\bLink\b|: Link = \{/).filter((file) => !others.has(file));
  expect(made).toEqual(['src/peer/call-link.ts']);
});

test('only the link itself knows when a call has been answered', () => {
  expect(files(/has been answered`/)).toEqual(['src/peer/call-link.ts']);
});

test('duplicate ids, cancelled requests and responses are looked up in tables of peer alone', () => {
  expect(files(/request with this id/)).toEqual(['src/peer/incoming-requests.ts']);
  expect(files(/'requestId'\]/).filter((file) => file.startsWith('src/transport/'))).toEqual([]);
  expect(files(/\bnotification\(CANCELLED\b/).filter((file) => file.startsWith('src/transport/'))).toEqual([]);
});

test('a session over HTTP has the tables of a pipe, and no table of requests of its own', () => {
  const tables = ['src/peer/incoming-requests.ts', 'src/peer/pending-requests.ts'];
  for (const file of ['src/peer/duplex.ts', 'src/transport/http/live-session.ts']) {
    const imported = importsOf(file).map(({ to }) => to);
    expect(imported).toEqual(expect.arrayContaining(tables));
    expect(codeOf(file)).not.toMatch(/^\s+(?:readonly )?#\w+: .*(?:Map<|Set<|Table<|\[\])/m);
  }
  const own = sourceFiles().filter((file) => file.startsWith('src/transport/http/'));
  for (const file of own) expect(importsOf(file).map(({ to }) => to)).not.toContain('src/peer/id-table.ts');
});
