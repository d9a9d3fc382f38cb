/**
 * Defines a test per revision and transport, against one of the fixtures. Messages are recorded and validated with the official
 * schema of their revision.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { type ConnectOptions, connect } from '../../src/connect/index.ts';
import { planConnection as wayToTarget } from '../../src/connect/target.ts';
import type { RpcNotification, RpcRequest, RpcResponse } from '../../src/jsonrpc/message.ts';
import { isFailure, isNotification, isRequest, isResponse } from '../../src/jsonrpc/message.ts';
import type { LogMessage } from '../../src/model/logging.ts';
import type { Transport } from '../../src/peer/exchange.ts';
import { revisions } from '../../src/revisions/index.ts';
import { type FakeUser, fakeUser } from '../../src/testing/index.ts';
import { childTransport } from '../../src/transport/child.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { createFixture, type FixtureName, type FixtureOptions } from '../fixtures/named.ts';
import { officialSchema } from './official-schema.ts';
import { type Overheard, tap } from './tap.ts';

export type TransportName = 'memory' | 'stdio' | 'http' | 'http+sse';

export interface Scene {
  readonly client: Client;
  readonly revision: string;
  readonly transport: TransportName;
  readonly wire: Wire;
  /** Answers questions, if the test has `user`. */
  readonly user: FakeUser;
  /** Log messages of the server, if the client `listens`. */
  readonly logs: readonly LogMessage[];
}

export interface SceneOptions {
  readonly fixture?: FixtureName;
  readonly server?: FixtureOptions;
  readonly connect?: ConnectOptions;
  /** Prepares the answers of a fake user. Without it, the client declares no capabilities for questions. */
  readonly user?: (user: FakeUser) => FakeUser;
  readonly listens?: true;
  /** Only these revisions. */
  readonly only?: readonly string[];
  /** This revision and later ones. */
  readonly since?: string;
  /** This revision and earlier ones. */
  readonly until?: string;
  /** For tests that violate the specification: only the server's messages are validated. */
  readonly strictClient?: false;
  /** Messages of an extension, which the schema of the revision does not have. */
  readonly outside?: (entry: Overheard, revision: string) => boolean;
}

export interface Fixture extends Pick<SceneOptions, 'fixture' | 'server'> {
  readonly transport: TransportName;
}

type Body = (scene: Scene) => void | Promise<void>;

export function everyRevision(name: string, body: Body): void;
export function everyRevision(name: string, options: SceneOptions, body: Body): void;
export function everyRevision(name: string, ...rest: [Body] | [SceneOptions, Body]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
  describe(name, () => {
    const wanted = revisions.map(({ id }) => id).filter((id) => isWanted(id, options));
    for (const revision of taken(wanted, name, 'memory')) {
      test(`${revision}, in memory`, () => play(body, { ...options, revision, transport: 'memory' }));
    }
    for (const revision of taken(wanted, name, 'stdio')) {
      test(`${revision}, over stdio`, () => play(body, { ...options, revision, transport: 'stdio' }));
    }
    for (const revision of taken(wanted, name, 'http')) {
      const transport = revision === OVER_TWO_ENDPOINTS ? 'http+sse' : 'http';
      test(`${revision}, over ${transport}`, () => play(body, { ...options, revision, transport }));
    }
  });
}

/** The revision with HTTP+SSE. */
const OVER_TWO_ENDPOINTS = '2024-11-05';

const isWanted = (id: string, { only, since, until }: SceneOptions): boolean =>
  only?.includes(id) !== false && (since === undefined || id >= since) && (until === undefined || id <= until);

/**
 * Starting a process or a listener takes longer than the test itself. In a quick run, each test uses the newest revision and one
 * other in memory, and every second test one over HTTP; the name of the test picks them. `npm test` sets `EVERY_TRANSPORT=1`:
 * all revisions over all transports.
 */
function taken(wanted: readonly string[], name: string, transport: 'memory' | 'stdio' | 'http'): readonly string[] {
  if (process.env['EVERY_TRANSPORT'] === '1') return wanted;
  const sum = [...name].reduce((letters, letter) => letters + letter.charCodeAt(0), 0);
  if (transport === 'memory') return wanted.filter((_, at) => at === 0 || at === 1 + (sum % (wanted.length - 1)));
  if (transport === 'stdio' || sum % 2 === 0) return [];
  const turn = Math.floor(sum / 2) % Math.max(1, wanted.length);
  return wanted.slice(turn, turn + 1);
}

interface Part extends SceneOptions {
  readonly revision: string;
  readonly transport: TransportName;
}

async function play(body: Body, part: Part): Promise<void> {
  const { revision, transport, strictClient } = part;
  const log: Overheard[] = [];
  const user = part.user?.(fakeUser()) ?? fakeUser();
  const handlers = part.user === undefined ? {} : { elicit: user.elicit, sample: user.sample };
  const logs: LogMessage[] = [];
  const way = await wayTo(part);
  try {
    await using client = await connect(tap(way.transport, log), {
      onWarning: () => undefined,
      ...(part.listens === true ? { onLog: (message: LogMessage) => logs.push(message) } : {}),
      ...handlers,
      ...part.connect,
      revisions: [revision],
    });
    await body({ client, revision, transport, wire: new Wire(log), user, logs });
  } finally {
    await way.close();
  }
  const schema = officialSchema(revision);
  const faults = log
    .filter(({ side }) => side === '<' || strictClient !== false)
    .filter((entry) => part.outside?.(entry, revision) !== true)
    .flatMap((entry) =>
      schema.faultsOf(entry).map((fault) => `${fault} in ${entry.side} ${JSON.stringify(entry.message).slice(0, 300)}`),
    );
  expect(faults).toEqual([]);
}

const serve = fileURLToPath(new URL('../../.cache/fixtures/serve.mjs', import.meta.url));

export interface Way {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Opens a transport to a new fixture: in this process, in a child process, or over a socket. */
export async function wayTo({ fixture = 'harbour', server = {}, transport }: Fixture): Promise<Way> {
  const nothing = (): Promise<void> => Promise.resolve();
  if (transport === 'stdio') {
    const env = { FIXTURE_OPTIONS: JSON.stringify(server) };
    return { transport: childTransport({ command: process.execPath, args: [serve, fixture], env }), close: nothing };
  }
  const served = await createFixture(fixture, server);
  if (transport === 'memory') return { transport: memoryTransport(served), close: nothing };
  const listening = await serveHttp(served, { port: 0, sse: '/sse' });
  const url = transport === 'http' ? listening.url : new URL('/sse', listening.url).href;
  return { transport: wayToTarget(url, {}).transport, close: () => listening.close() };
}

/** Records the messages of a connection. */
export class Wire {
  readonly log: readonly Overheard[];

  constructor(log: readonly Overheard[]) {
    this.log = log;
  }

  /** Requests of one method, from either side. */
  requests(method: string): readonly RpcRequest[] {
    return this.log.flatMap(({ message }) => (isRequest(message) && message.method === method ? [message] : []));
  }

  notifications(method: string): readonly RpcNotification[] {
    return this.log.flatMap(({ message }) => (isNotification(message) && message.method === method ? [message] : []));
  }

  responses(method: string): readonly RpcResponse[] {
    return this.log.flatMap(({ message, answers }) => (isResponse(message) && answers === method ? [message] : []));
  }

  /** The last result for this method, as it was sent. */
  result(method: string): Readonly<Record<string, unknown>> {
    const last = this.responses(method).at(-1);
    if (last === undefined || isFailure(last)) throw new Error(`${method} has no result: ${JSON.stringify(last)}`);
    return last.result;
  }
}
