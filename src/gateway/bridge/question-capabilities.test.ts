/** What an upstream can ask of a caller, by revision. */
import { expect, test } from 'vitest';
import { findRevision, revisions } from '../../revisions/index.ts';
import { questionCapabilities } from './question-capabilities.ts';

const declared = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

test('a caller that declares what its revision does not have is not asked for it', () => {
  const elicits = revisions.filter((revision) => 'elicitation' in questionCapabilities(declared, revision));
  expect(elicits.map(({ id }) => id)).toEqual(['2026-07-28', '2025-11-25', '2025-06-18']);
  expect(questionCapabilities({ elicitation: {} }, findRevision('2025-03-26') as (typeof revisions)[number])).toEqual(
    {},
  ); // it exists
});
