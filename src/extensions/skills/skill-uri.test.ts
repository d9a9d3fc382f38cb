/** Parsing and building URIs of skills. */
import { expect, test } from 'vitest';
import { skillPathOf, skillUri } from './skill-uri.ts';

test.each([
  ['skill://a/SKILL.md', 'skill://a/', 'a'],
  ['skill://acme/tools/b%20c/SKILL.md', 'skill://acme/tools/b%20c/', 'b c'],
  ['skill:///a/SKILL.md', 'skill:///a/', 'a'],
  ['skill://a/b%zz/SKILL.md', 'skill://a/b%zz/', 'b%zz'],
  ['X-y.2+z://a//b/SKILL.md', 'X-y.2+z://a//b/', 'b'],
])('%s is the URI of a skill', (uri, folder, name) => {
  expect(skillPathOf(uri)).toEqual({ folder, name });
});

test.each([
  '',
  'SKILL.md',
  'a/SKILL.md',
  ' skill://a/SKILL.md',
  '1skill://a/SKILL.md',
  's_kill://a/SKILL.md',
  'skill:a/SKILL.md',
  'skill://SKILL.md',
  'skill:///SKILL.md',
  'skill://a//SKILL.md',
  'skill://a/SKILL.md/',
  'skill://a/SKILL.mdx',
  'skill://a/SKILLxmd',
  'skill://a/skill.md',
  'skill://a?b/SKILL.md',
  'skill://a?b/c/SKILL.md',
  'skill://a#b/c/SKILL.md',
  'skill://a/SKILL.md?x',
])('%j is not the URI of a skill', (uri) => {
  expect(skillPathOf(uri)).toBeUndefined();
});

test('each segment of a path is encoded', () => {
  expect(skillUri(['a b', '?#/', 'SKILL.md'])).toBe('skill://a%20b/%3F%23%2F/SKILL.md');
});
