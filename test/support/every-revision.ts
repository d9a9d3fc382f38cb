/**
 * A test per revision and transport, against one of the fixtures. Every message is overheard and held against the official
 * schema of its revision.
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
  /** Answers questions, if `user` was given. */
  readonly user: FakeUser;
  /** What the server logged, if the client `listens`. */
  readonly logs: readonly LogMessage[];
}

export interface SceneOptions {
  readonly fixture?: FixtureName;
  readonly server?: FixtureOptions;
  readonly connect?: ConnectOptions;
  /** Teaches a fake user what to say. Without it the client declares nothing that it could be asked. */
  readonly user?: (user: FakeUser) => FakeUser;
  readonly listens?: true;
  /** Some revisions only. */
  readonly only?: readonly string[];
  /** This revision and later ones. */
  readonly since?: string;
  /** This revision and earlier ones. */
  readonly until?: string;
  /** The body sends what the specification does not allow; only the server's messages are held against the schema. */
  readonly strictClient?: false;
  /** What an extension says, which the schema of the revision does not know. */
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

/** The revision whose HTTP is a stream for what the server says and an address for what it is told. */
const OVER_TWO_ENDPOINTS = '2024-11-05';

const isWanted = (id: string, { only, since, until }: SceneOptions): boolean =>
  only?.includes(id) !== false && (since === undefined || id >= since) && (until === undefined || id <= until);

/**
 * Starting a process or a listener costs more than everything a test does with it. So for a quick look each test takes the newest
 * revision and one other in memory, and every second test one over HTTP; which turns with its name, so that together they take them
 * all. `npm test` has `EVERY_TRANSPORT=1`, and takes all of them in every test, over stdio too.
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

/** A way to a fixture of its own: in this process, in a real one, or behind a real socket. */
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

/** What was said on the line so far. */
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

  /** The last result that answered this method, as it was on the line. */
  result(method: string): Readonly<Record<string, unknown>> {
    const last = this.responses(method).at(-1);
    if (last === undefined || isFailure(last)) throw new Error(`${method} has no result: ${JSON.stringify(last)}`);
    return last.result;
  }
}
