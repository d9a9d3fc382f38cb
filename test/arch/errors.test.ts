/** The table of errors and its page agree. */
import { expect, test } from 'vitest';
import { type ErrorCode, errors } from '../../src/errors.ts';
import { sourceFiles, textOf } from '../support/source.ts';

const sections = textOf('docs/errors.md').split(/^## /m).slice(1);
const documented = new Map(sections.map((section) => [section.split('\n', 1)[0]?.trim() ?? '', section]));
const codes = Object.keys(errors) as ErrorCode[]; // the keys of a constant

test('the codes in src/errors.ts are sorted', () => {
  expect(codes).toEqual(codes.toSorted());
});

test('docs/errors.md has a section for each code, in the same order, and no other', () => {
  expect([...documented.keys()]).toEqual(codes);
});

test.each(codes)('%s is documented with its message, its cause and its fix', (code) => {
  const section = documented.get(code) ?? '';
  expect(/^```text\n(.+)\n```$/m.exec(section)?.[1]).toBe(errors[code].text);
  expect(section).toMatch(/^\*\*Cause\.\*\* \S.{20,}/m);
  expect(section).toMatch(/^\*\*Fix\.\*\* \S.{20,}/m);
});

test('every code is thrown somewhere', () => {
  const source = sourceFiles()
    .filter((file) => file !== 'src/errors.ts')
    .map(textOf)
    .join('\n');
  expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});
