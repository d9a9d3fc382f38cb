/** The cached lists of one upstream, of many callers. */
import { expect, test } from 'vitest';
import { findRevision } from '../../revisions/index.ts';
import { virtualClock } from '../../testing/index.ts';
import type { UpstreamClient } from '../contract.ts';
import { type ListAudience, UpstreamLists } from './upstream-lists.ts';
import { upstreamSettings } from './upstream-settings.ts';

const of = (principal: string): ListAudience => ({
  key: principal,
  audience: { principal, capabilities: {}, auth: undefined },
  hops: 0,
});

test('a list that could not be fetched, and made room for those of other callers, is not fetched again in the background', async () => {
  const clock = virtualClock();
  const context = { clock, name: 'acme', version: '1', warn: () => undefined, metrics: undefined, sandbox: undefined };
  const revision = findRevision('2026-07-28');
  if (revision === undefined) throw new Error('no such revision');
  const client: UpstreamClient = { label: 'shop', revision, request: async () => ({ tools: [] }) };
  const settings = upstreamSettings('shop', { command: 'shop' }, { ...context, visitCompleted: () => undefined });
  let attempts = 0;
  const lists = new UpstreamLists(settings, {
    async lease(audience) {
      if (audience?.principal !== 'first') return { client, release: () => undefined };
      attempts++;
      throw new Error('down');
    },
    reasonOf: String,
  });
  expect(await lists.get('tools', of('first'))).toBeUndefined();
  await clock.advance(2_000);
  expect(attempts).toBe(2);
  for (let n = 0; n < 4_000; n++) await lists.get('tools', of(`caller ${n}`));
  await clock.advance(600_000);
  expect(attempts).toBe(2);
  lists.close();
});
