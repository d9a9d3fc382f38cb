import { expect, test } from 'vitest';
import { findOddities } from './inspect.ts';
import { findServerMentions, namesOfOthers } from './other-servers.ts';

const others = namesOfOthers(
  'files',
  new Map([
    ['files', ['read_file', 'send_message']],
    ['mail', ['send_email', 'send_message', 'sendAll', 'a_bcde', 'a_bcd', 'search', '_search', 'search_']],
    ['web', []],
  ]),
);

test('namesOfOthers() leaves out the server itself, tools that it also has, and everyday words', () => {
  expect([...others.labels]).toEqual(['mail', 'web']);
  expect([...others.tools].sort()).toEqual(['a_bcde', 'send_email', 'sendall']);
});

test('namesOfOthers() has the tools of others for a server without tools', () => {
  const tools = new Map([['mail', ['send_email']]]);
  expect([...namesOfOthers('new', tools).tools]).toEqual(['send_email']);
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
