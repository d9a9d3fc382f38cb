/** Questions of servers behind a gateway, for all 25 pairs of revisions: asked wherever both sides support them. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { connect } from '../../src/connect/index.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import type { UpstreamSpec } from '../../src/gateway/spec.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { type AnsweringCaller, answering, askingHarbour } from '../support/asking-harbour.ts';
import { everyRevision } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const [FORMS, PAGES] = ['2025-06-18', '2025-11-25'];
/** The revision with HTTP+SSE. */
const OVER_TWO_ENDPOINTS = '2024-11-05';
const program = fileURLToPath(new URL('../../.cache/fixtures/serve-gateway.mjs', import.meta.url));
const labelOf = (revision: string): string => `r${revision.replaceAll('-', '')}`;

/** The tool, its result if it can ask, and the first revision of both sides that supports the question. */
const cases: readonly (readonly [tool: string, text: string, since: string, asked: readonly string[]])[] = [
  ['once', 'ship!', FORMS, ['Which ship?']],
  ['twice', 'ship! port!', FORMS, ['Which ship?', 'Which port?']],
  ['both', 'ship! port!', FORMS, ['Which ship?', 'Which port?']],
  ['declined', 'decline', FORMS, ['Which decline?']],
  ['cancelled', 'cancel', FORMS, ['Which cancel?']],
  ['visit', 'accept', PAGES, ['Pay https://pay.example/1']],
  ['sample', '{"type":"text","text":"Ahoy"}', '', []],
  ['roots', 'file:///a', '', []],
];

interface Scene extends AsyncDisposable {
  caller(revision: string, who: AnsweringCaller): Promise<Client>;
}

const questions = { visit: { hosts: ['pay.example'] } };
const upstreamsOf = (target: (revision: string) => UpstreamSpec): Readonly<Record<string, UpstreamSpec>> =>
  Object.fromEntries(everyRevision.map((revision) => [labelOf(revision), target(revision)]));
const gatewayOf = (target: (revision: string) => UpstreamSpec): Gateway =>
  createGateway({ name: 'acme', version: '1', upstreams: upstreamsOf(target), onWarning: () => undefined });

const scenes: Readonly<Record<string, () => Promise<Scene>>> = {
  async memory() {
    const server = askingHarbour();
    const gateway = gatewayOf((revision) => ({ server, questions, revisions: [revision] }));
    return {
      caller: (revision, { options }) => connect(gateway, { ...options, revisions: [revision] }),
      [Symbol.asyncDispose]: () => gateway.close(),
    };
  },
  HTTP: () => overHttp(({ url }) => url),
  'HTTP+SSE': () =>
    overHttp(({ url }, revision) => (revision === OVER_TWO_ENDPOINTS ? new URL('/sse', url).href : url)),
  /** Each caller starts its own gateway, and that its own upstreams, all as child processes. */
  async stdio() {
    const upstreams = everyRevision.map((revision) => [labelOf(revision), { fixture: 'asking', revision, questions }]);
    const env = { UPSTREAMS: JSON.stringify(Object.fromEntries(upstreams)) };
    return {
      caller: (revision, { options }) =>
        connect({ command: process.execPath, args: [program], env }, { ...options, revisions: [revision] }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
};

async function overHttp(urlOf: (at: HttpListener, revision: string) => string): Promise<Scene> {
  const behind = await serveHttp(askingHarbour(), { port: 0, sse: '/sse' });
  const gateway = gatewayOf((revision) => ({ url: urlOf(behind, revision), questions, revisions: [revision] }));
  const front = await serveHttp(gateway, { port: 0, sse: '/sse' });
  return {
    caller: (revision, { options }) => connect(urlOf(front, revision), { ...options, revisions: [revision] }),
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await front.close();
      await behind.close();
    },
  };
}

/** A quick run starts no processes: all pairs in memory, and over HTTP each revision once per side. */
const isQuick = process.env['EVERY_TRANSPORT'] !== '1';
const transports = Object.keys(scenes).filter((name) => name !== 'stdio' || !isQuick);

/** Over HTTP+SSE, the pairs in which one side has that transport. */
function upstreamsFor(transport: string, caller: string): readonly string[] {
  if (transport === 'HTTP+SSE' && caller !== OVER_TWO_ENDPOINTS) return [OVER_TWO_ENDPOINTS];
  if (transport === 'memory' || !isQuick) return everyRevision;
  return [everyRevision[everyRevision.indexOf(caller) + 1] ?? everyRevision[0] ?? caller];
}

describe.each(transports)('over %s', (transport) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await (scenes[transport] as () => Promise<Scene>)(); // the names are its keys
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each(everyRevision)(
    'a caller that speaks %s answers every upstream whose question it has a word for',
    async (revision) => {
      verifies('ELIC-5', 'SAMP-3', 'MRTR-022', 'MRTR-023');
      const who = answering();
      await using client = await scene.caller(revision, who);
      for (const upstream of upstreamsFor(transport, revision)) {
        for (const [tool, text, since, asked] of cases) {
          who.asked.length = 0;
          const result = await client.attempt(`${labelOf(upstream)}__${tool}`);
          const canAsk = revision >= since && upstream >= since;
          const where = `${revision} asks ${upstream} for ${tool}`;
          expect([where, result.isError === true]).toEqual([where, !canAsk]);
          if (canAsk) expect([where, result.text]).toEqual([where, text]);
          else
            expect([where, result.text]).toEqual([
              where,
              expect.stringContaining('The client does not support elicitation/create'),
            ]);
          const expected = canAsk ? asked.map((one) => `[${labelOf(upstream)}] ${one}`) : [];
          expect([where, who.asked.toSorted()]).toEqual([where, expected.toSorted()]);
        }
      }
    },
  );

  test.each(everyRevision)(
    'a caller that speaks %s and declares nothing is asked nothing, and each tool says what it lacks',
    async (revision) => {
      verifies('ELIC-5');
      await using client = await scene.caller(revision, { asked: [], options: { onWarning: () => undefined } });
      for (const upstream of upstreamsFor(transport, revision)) {
        for (const [tool] of cases) {
          const outcome = await client.attempt(`${labelOf(upstream)}__${tool}`).then(
            ({ isError, text }) => `${isError === true} ${text}`,
            (error: Error) => `true ${error.message}`,
          );
          expect(outcome).toMatch(/^true .*does not support/);
        }
      }
    },
  );
});
