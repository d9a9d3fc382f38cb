/** The capabilities of a view, and whether an upstream's lists depend on the caller. */
import { expect, test } from 'vitest';
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Revision } from '../../revisions/contract.ts';
import { findRevision } from '../../revisions/index.ts';
import { audienceOf } from '../bridge/question-capabilities.ts';
import type { GatewayRequest } from '../contract.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { type GatewayView, listAudienceOf } from './gateway-view.ts';
import { viewCapabilities } from './view-capabilities.ts';

const capabilitiesOf = (met: readonly (ServerCapabilities | undefined)[], revision = '2025-11-25') => {
  const members = met.map((capabilities, at) => [
    `u${at}`,
    { upstream: { main: capabilities && { capabilities, revision: findRevision(revision) } } },
  ]);
  return viewCapabilities({ members: new Map(members as []) } as unknown as GatewayView); // the members that it reads
};

const listed = { listChanged: true };
const all = { tools: listed, prompts: listed, resources: listed, completions: {}, logging: {} };

test.each<[(ServerCapabilities | undefined)[], ServerCapabilities]>([
  [[], {}],
  [[{}], {}],
  [[undefined], all],
  [[{}, undefined], all],
  [[{ tools: {} }], { tools: listed }],
  [[{ tools: {} }, { prompts: {} }], { tools: listed, prompts: listed }],
  [[{ resources: { subscribe: true, listChanged: false } }], { resources: listed }],
  [[{ completions: {} }], { completions: {} }],
  [[{ logging: {} }, {}], { logging: {} }],
  [[{ experimental: { a: {} } }], {}],
])('a view of upstreams with %j has %j', (met, expected) => {
  expect(capabilitiesOf(met)).toEqual(expected);
});

test('a view completes where an upstream of the oldest revision can, which does not say so', () => {
  expect(capabilitiesOf([{}], '2024-11-05')).toEqual({ completions: {} });
});

test('a list is for one caller where its upstream lists apart, and for all where it does not', () => {
  const of = {
    ...{ principal: 'ada', session: { ready: true }, link: { auth: { scopes: [] } } },
    ...{ caller: { capabilities: { roots: {} } }, revision: findRevision('2025-11-25') as Revision },
  } as unknown as GatewayRequest; // the members that are read
  const upstream = (listsApart: boolean): Upstream =>
    ({ listsApart, settings: { questions: {} } }) as unknown as Upstream; // likewise
  const { principal, session, link } = of;
  const audience = { principal, session, auth: link.auth, capabilities: { roots: {} } };
  expect(audienceOf(of, {})).toEqual(audience);
  expect(listAudienceOf(of, upstream(true))).toEqual(audience);
  expect([listAudienceOf(of, upstream(false)), listAudienceOf(undefined, upstream(true))]).toEqual([
    undefined,
    undefined,
  ]);
});
