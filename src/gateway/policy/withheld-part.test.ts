/** Which parts callers see, and which of their members. */
import { expect, test } from 'vitest';
import type { DefinitionStatus } from '../../host/act/act.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ExposedPart, PartKind } from '../contract.ts';
import type { GatewayLock } from './gateway-lock.ts';
import { screenPart } from './withheld-part.ts';

const part = (kind: PartKind, definition: JsonObject = {}, key = 'a'): ExposedPart => ({
  ...{ label: 'shop', kind, key, name: `shop__${key}`, definition },
});
const lockOf = (status: DefinitionStatus | undefined, newParts: GatewayLock['newParts']): GatewayLock =>
  ({ newParts, statusOf: () => status }) as unknown as GatewayLock; // the members that are read

test.each([
  [undefined, 'withhold', true],
  ['approved', 'withhold', true],
  ['new', 'allow', true],
  ['new', 'withhold', false],
  ['changed', 'allow', false],
  ['suspicious', 'allow', false],
] as const)('a definition with the status %s, where new ones are to %s, is shown: %s', (status, newParts, isShown) => {
  const screened = screenPart(part('resource'), { lock: lockOf(status, newParts), passesApps: true });
  expect('part' in screened).toBe(isShown);
  if ('part' in screened) expect(screened.part.status).toBe(status);
});

test('without a lock a part has no status, and is shown', () => {
  expect(screenPart(part('tool'), { passesApps: true })).toEqual({ part: { ...part('tool'), status: undefined } });
});

test('a tool without its page keeps all else of its metadata, and is for models', () => {
  const _meta = { kept: 1, 'ui/resourceUri': 'ui://a', ui: { resourceUri: 'ui://a', theme: 'dark' } };
  const screened = screenPart(part('tool', { _meta }), { passesApps: false });
  expect('part' in screened && screened.part.definition['_meta']).toEqual({
    ...{ kept: 1, ui: { theme: 'dark', visibility: ['model'] } },
  });
  expect(screenPart(part('tool', { _meta }), { passesApps: true })).toMatchObject({ part: { definition: { _meta } } });
});

test('a name with characters that cannot be seen is withheld, and titles are shown without them', () => {
  expect(screenPart(part('tool', {}, 'a\u200b'), { passesApps: true })).toHaveProperty('withheld');
  const hidden = {
    title: 'Pay\u202e',
    description: 'a\u200b',
    annotations: { title: 'Pay\u0007', readOnlyHint: true },
  };
  expect(screenPart(part('tool', hidden), { passesApps: true })).toMatchObject({
    ...{ part: { definition: { title: 'Pay', annotations: { title: 'Pay', readOnlyHint: true } } } },
  });
});
