/**
 * Defines a test for each pair of revisions: a client, a gateway, and an upstream. Messages of the client are validated with the
 * official schema of its revision; in memory, those of the upstream too.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { type ConnectOptions, connect } from '../../src/connect/index.ts';
import { planConnection } from '../../src/connect/target.ts';
import { createGateway } from '../../src/gateway/index.ts';
import type { LogMessage } from '../../src/model/logging.ts';
import type { Servable, Transport } from '../../src/peer/exchange.ts';
import { revisionIds } from '../../src/revisions/index.ts';
import { childTransport } from '../../src/transport/child.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { createFixture } from '../fixtures/named.ts';
import { Wire } from './every-revision.ts';
import { officialSchema } from './official-schema.ts';
import { type Overheard, tap } from './tap.ts';

export type PairTransport = 'memory' | 'stdio' | 'http';

export interface Pair {
  /** The revision of the caller. */
  readonly caller: string;
  /** The revision of the upstream. */
  readonly upstream: string;
  readonly transport: PairTransport;
}

export interface PairScene extends Pair {
  readonly client: Client;
  /** Records messages between client and gateway. */
  readonly wire: Wire;
  readonly logs: readonly LogMessage[];
}

/** The upstream's label is `dock`. */
export function everyPair(name: string, options: ConnectOptions, body: (scene: PairScene) => Promise<void>): void {
  describe(name, () => {
    test.each(pairsOver(name))('$caller → $upstream, $transport', (pair) => play(pair, options, body));
  });
}

/** All pairs in `npm test`. In a quick run, each revision once per side in memory, and one pair over HTTP. */
function pairsOver(name: string): readonly Pair[] {
  const count = revisionIds.length;
  const all = revisionIds.flatMap((caller) => revisionIds.map((upstream) => ({ caller, upstream })));
  if (process.env['EVERY_TRANSPORT'] === '1')
    return (['memory', 'stdio', 'http'] as const).flatMap((transport) => all.map((pair) => ({ ...pair, transport })));
  const sum = [...name].reduce((letters, letter) => letters + letter.charCodeAt(0), 0);
  const once = all.filter((_, at) => (at + Math.floor(at / count)) % count === sum % count);
  const overHttp = all.slice(sum % all.length, (sum % all.length) + 1);
  return [
    ...once.map((pair) => ({ ...pair, transport: 'memory' as const })),
    ...overHttp.map((pair) => ({ ...pair, transport: 'http' as const })),
  ];
}

async function play(pair: Pair, options: ConnectOptions, body: (scene: PairScene) => Promise<void>): Promise<void> {
  const [front, behind]: [Overheard[], Overheard[]] = [[], []];
  const logs: LogMessage[] = [];
  await using way = await wayThrough(pair, behind);
  {
    await using client = await connect(tap(way.transport, front), {
      onWarning: () => undefined,
      onLog: (message) => logs.push(message),
      ...options,
      revisions: [pair.caller],
    });
    await body({ ...pair, client, wire: new Wire(front), logs });
  }
  expect([...faultsIn(front, pair.caller), ...faultsIn(behind, pair.upstream)]).toEqual([]);
}

const faultsIn = (log: readonly Overheard[], revision: string): readonly string[] =>
  log.flatMap((entry) =>
    officialSchema(revision)
      .faultsOf(entry)
      .map((fault) => `${fault} in ${entry.side} ${JSON.stringify(entry.message).slice(0, 300)}`),
  );

interface WayThrough extends AsyncDisposable {
  readonly transport: Transport;
}

const program = fileURLToPath(new URL('../../.cache/fixtures/serve-gateway.mjs', import.meta.url));
/** The revision with HTTP+SSE. */
const OVER_TWO_ENDPOINTS = '2024-11-05';

async function wayThrough({ caller, upstream, transport }: Pair, log: Overheard[]): Promise<WayThrough> {
  if (transport === 'stdio') {
    const env = { UPSTREAMS: JSON.stringify({ dock: { fixture: 'harbour', revision: upstream } }) };
    const command = { command: process.execPath, args: [program], env };
    return { transport: childTransport(command), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const harbour = await createFixture('harbour');
  const closers: (() => Promise<void>)[] = [];
  const listen = async (served: Servable, revision: string): Promise<string> => {
    const listening = await serveHttp(served, { port: 0, sse: '/sse' });
    closers.unshift(() => listening.close());
    return revision === OVER_TWO_ENDPOINTS ? new URL('/sse', listening.url).href : listening.url;
  };
  const target =
    transport === 'memory'
      ? { transport: tap(memoryTransport(harbour), log) }
      : { url: await listen(harbour, upstream) };
  const dock = { ...target, revisions: [upstream] };
  const gateway = createGateway({ name: 'acme', version: '1', upstreams: { dock }, onWarning: () => undefined });
  closers.unshift(() => gateway.close());
  const closeAll = async (): Promise<void> => {
    for (const close of closers) await close();
  };
  const way =
    transport === 'memory' ? memoryTransport(gateway) : planConnection(await listen(gateway, caller), {}).transport;
  return { transport: way, [Symbol.asyncDispose]: closeAll };
}
