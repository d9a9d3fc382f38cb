/** A gateway in front of an HTTP server: calls within an era and across eras, and long lists. */
import type { Entry } from '../contenders.ts';
import { GatewaySubject } from '../load/gateway-subject.ts';
import { type AnyScenario, type Row, scenario } from '../scenario.ts';
import type { Setup } from '../work.ts';
import { echoing } from './http-call.ts';
import { listing, MANY } from './many-tools.ts';

const proxy: Entry = { name: 'parsing proxy', peer: 'limit', program: 'proxy' };
const gateway: Entry = { name: 'Mooring', peer: 'mooring', program: 'gateway' };
const official: Entry = { name: 'official v1, proxy', peer: 'official-1', program: 'gateway' };
/** Commands that serve a stdio server over HTTP. */
const mcpProxy: Entry = { name: 'mcp-proxy, stdio behind it', peer: 'mcp-proxy', program: 'gateway' };
const supergateway: Entry = { name: 'supergateway, stdio behind it', peer: 'supergateway', program: 'gateway' };

const inEra = (entry: Entry, era: Setup['era']): Entry => ({ ...entry, setup: { ...entry.setup, era } });
const opened = (entry: Entry, setup: Partial<Setup> = {}) => ({
  name: entry.name,
  open: () => GatewaySubject.start(entry, setup),
});

const calls: readonly Row<GatewaySubject>[] = [1, 16].map((connections) => ({
  id: `${connections}`,
  title: connections === 1 ? '1 connection' : `${connections} connections`,
  unit: 'CPU µs',
  thorough: connections === 1,
  measure: ({ front }, ms) => echoing(front, connections, ms),
}));

export const gatewayCall: AnyScenario = scenario({
  id: 'gateway',
  title: 'Gateway, without sessions on either side',
  about:
    'Calls an echo tool of a server behind a gateway. The limit is a proxy that parses each message in both directions.',
  rows: calls,
  contenders: [proxy, gateway].map((entry) => opened(inEra(entry, 'stateless'))),
});

export const gatewayAcross: AnyScenario = scenario({
  id: 'gateway-eras',
  title: 'Gateway, callers with sessions',
  about:
    'The same for callers with sessions. The proxies forward the session or keep their own. The gateway keeps its own, and has none with the server.',
  rows: calls,
  contenders: [proxy, gateway, official, mcpProxy, supergateway].map((entry) => opened(inEra(entry, 'session'))),
});

export const gatewayBearer: AnyScenario = scenario({
  id: 'gateway-bearer',
  title: 'Gateway that verifies bearer tokens',
  about:
    'The same without sessions, with a signed token in each request. The gateway has verified this token before; the proxy ignores it.',
  rows: calls,
  contenders: [opened(inEra(proxy, 'stateless')), opened(inEra({ ...gateway, isVerifying: true }, 'stateless'))],
});

export const gatewayList: AnyScenario = scenario({
  id: 'gateway-list',
  title: 'Gateway, tools/list with 1,000 tools',
  about: 'Lists the 1,000 tools of a server behind a gateway.',
  rows: [{ id: 'list', title: 'one list', unit: 'CPU µs', measure: ({ front }, ms) => listing(front, ms) }],
  contenders: [proxy, gateway].map((entry) => opened(inEra(entry, 'stateless'), { tools: MANY })),
});
