import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { actTitle, allowingRule, explainDenial } from './denial-text.ts';

const evict = act({ server: 'office', name: 'evict' });
const rule = 'deny { name: evict }';

test.each([
  [
    { decision: { verdict: 'deny', rule, why: 'a rule denies actions named evict' } },
    { word: 'denied', text: `the rule "${rule}" does not allow office.evict` },
  ],
  [
    { decision: { verdict: 'deny', rule: 'budget everything 1 calls per hour', why: '1 of 1 calls are used up' } },
    {
      word: 'denied',
      text: 'the rule "budget everything 1 calls per hour" does not allow office.evict: 1 of 1 calls are used up',
    },
  ],
  [
    { decision: { verdict: 'ask', rule: 'none', why: 'no rule matches' }, consent: { allow: false, edited: false } },
    { word: 'declined', text: 'you did not agree to office.evict' },
  ],
  [
    {
      decision: { verdict: 'ask', rule: 'none', why: 'no rule matches' },
      consent: { allow: false, edited: false, reason: 'no rule matches, and this is not running in a terminal' },
    },
    { word: 'declined', text: 'office.evict: no rule matches, and this is not running in a terminal' },
  ],
  [
    { decision: { verdict: 'ask', rule: 'none', why: 'no rule matches' }, consent: { allow: true, edited: false } },
    { word: 'denied', text: 'office.evict: its definition changed' },
  ],
] as const)('%j is told as a sentence', (decided, denial) => {
  expect(explainDenial({ act: evict, ...decided }, 'its definition changed')).toEqual(denial);
});

test('an act is called as in the catalogue, and nothing in its name drives a terminal', () => {
  expect(actTitle(act({ kind: 'resource', name: 'file:///a' }))).toBe('resource file:///a of files');
  expect(actTitle(act({ name: 'a\u001b[2J' }))).toBe('files.a\\u001b[2J');
});

test('the rule that allows an act is as narrow as the act', () => {
  expect(allowingRule(evict)).toBe("rules.allow({ kind: 'tool', server: 'office', name: 'evict' })");
  expect(allowingRule(act({ kind: 'spawn', name: 'node x.js' }))).toBe(
    "rules.allow({ kind: 'spawn', server: 'files' })",
  );
});
