import { expect, test } from 'vitest';
import { findOddities } from './inspect.ts';
import { findServerMentions, ServerNames } from './other-servers.ts';

const others = new ServerNames(
  new Map([
    ['files', ['read_file', 'send_message']],
    ['mail', ['send_email', 'send_message', 'sendAll', 'a_bcde', 'a_bcd', 'search', '_search', 'search_']],
    ['web', []],
  ]),
).othersOf('files');

test('othersOf() leaves out the server itself, tools that it also has, and everyday words', () => {
  expect(['mail', 'web', 'files', 'other'].filter((label) => others.labels.has(label))).toEqual(['mail', 'web']);
  const names = [
    'read_file',
    'send_email',
    'send_message',
    'sendall',
    'a_bcde',
    'a_bcd',
    'search',
    '_search',
    'search_',
  ];
  expect(names.filter((name) => others.tools.has(name))).toEqual(['send_email', 'sendall', 'a_bcde']);
});

test('othersOf() has the tools of others for a server without tools', () => {
  const { labels, tools } = new ServerNames(new Map([['mail', ['send_email']]])).othersOf('new');
  expect([labels.has('mail'), labels.has('new'), tools.has('send_email')]).toEqual([true, false, true]);
});

test('othersOf() has a tool of another server, also if the server has one with a similar name', () => {
  const toolsOf = new Map([
    ['mail', ['send_email', 'SEND_all']],
    ['notes', ['send_emails', 'send_ALL']],
  ]);
  const { tools } = new ServerNames(toolsOf).othersOf('notes');
  expect([tools.has('send_email'), tools.has('send_emails'), tools.has('send_all')]).toEqual([true, false, false]);
});

test('an index of 1,000 servers takes linear time and memory', () => {
  // Sets of the others, one for each server, would have a hundred million entries.
  const labels = Array.from({ length: 1_000 }, (_, i) => `s${i}`);
  const toolsOf = (label: string): string[] => Array.from({ length: 100 }, (_, i) => `tool_${label}_${i}`);
  const names = new ServerNames(new Map(labels.map((label) => [label, toolsOf(label)])));
  const found = labels.filter((label) => names.othersOf(label).tools.has('tool_s7_8'));
  expect(found).toEqual(labels.filter((label) => label !== 's7'));
});

test.each<[string, string | undefined]>([
  ['call send_email first', 'send_email'],
  ['call send_email... and', 'send_email'],
  ['call send_email.- and', 'send_email'],
  ['call send_emails first', undefined],
  ['call mail.search first', 'mail.search'],
  ['call mail__search first', 'mail__search'],
  ['call mail_search first', undefined],
  ['call web.mail.search first', 'web.mail.search'],
  ['send the mail. then stop', undefined],
  ['the mail server', 'mail'],
  ['the "mail" tools', 'mail'],
  ['the mail mcp server', 'mail'],
  ['the mail servers', 'mail'],
  ['the mail serverless way', undefined],
  ['the mail of a server', undefined],
  ['the files server', undefined],
  ['.-. -', undefined],
])('in "%s", the mention of another server is %s', (text, name) => {
  expect([...findServerMentions(text, others)].map((one) => one.name)).toEqual(name === undefined ? [] : [name]);
});

test('an excerpt has twenty characters on both sides, and a mark where something is left out', () => {
  const excerptOf = (text: string): string | undefined =>
    findOddities(text, others).find(({ oddity }) => oddity === 'foreign')?.excerpt;
  const [before, after] = ['abcdefghij klmnopqr ', ' stuvwxyz abcdefghij'];
  expect(excerptOf(`${before}send_email${after}`)).toBe('abcdefghij klmnopqr send_email stuvwxyz abcdefghij');
  expect(excerptOf(`x${before}send_email${after}y`)).toBe('…abcdefghij klmnopqr send_email stuvwxyz abcdefghij…');
});
