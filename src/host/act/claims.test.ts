import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { effectsText } from '../consent/question-text.ts';
import { matchFacts } from '../policy/rule-text.ts';
import { claimsOf } from './claims.ts';

test.each([
  [undefined, 'the server does not say whether it is destructive; treated as destructive'],
  [{ title: 'Refund' }, 'the server does not say whether it is destructive; treated as destructive'],
  [{ readOnlyHint: false }, 'the server does not say whether it is destructive; treated as destructive'],
  [{ destructiveHint: true }, 'the server says destructive'],
  [{ destructiveHint: false }, 'the server says write'],
  [{ readOnlyHint: true }, 'the server says read'],
  [null, 'the server does not say whether it is destructive; treated as destructive'],
  [{ destructiveHint: null }, 'the server does not say whether it is destructive; treated as destructive'],
  [{ readOnlyHint: 'false' }, 'the server does not say whether it is destructive; treated as destructive'],
])(
  'the effects of a tool with the annotations %j are shown as what its server says, and nothing more',
  (annotations, text) => {
    expect(effectsText(act(claimsOf(annotations)))).toBe(text);
  },
);

test('a tool is closed to the world only where its server says so', () => {
  const said = [undefined, {}, { openWorldHint: null }, { openWorldHint: 0 }, { openWorldHint: false }];
  expect(said.map((annotations) => claimsOf(annotations).openWorld)).toEqual([true, true, true, true, false]);
});

test('a trusted source is named before what the server does not say', () => {
  expect(effectsText(act({ ...claimsOf(), effects: 'read' }))).toBe(
    'read; the server does not say whether it is destructive; treated as destructive',
  );
  expect(effectsText(act({ ...claimsOf(), effects: 'destructive' }))).toBe('destructive');
});

test('a rule explains an assumed effect as assumed', () => {
  expect(matchFacts({ effects: 'destructive' }, act(claimsOf()))).toBe('effects are unknown (assumed: destructive)');
});
