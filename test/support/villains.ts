/** Two honest servers and a hostile one behind one host, and checks that the honest ones are unaffected. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import {
  type AuditRecord,
  type ConsentQuestion,
  createHost,
  type Host,
  type HostOptions,
  memoryAudit,
  rules,
  type ServerSource,
  type Session,
} from '../../src/host/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { serveHttp } from '../../src/transport/node.ts';

const program = (name: string): string => fileURLToPath(new URL(`../fixtures/host/${name}.mjs`, import.meta.url));
const crew: ServerSource = { command: process.execPath, args: [program('crew'), 'well'] };

export type Way = 'as a child' | 'over HTTP';
export const bothWays: readonly Way[] = ['as a child', 'over HTTP'];
export const SECRET = 'The anchor watch changes at four in the morning, by the north pier';

export interface Harbour extends AsyncDisposable {
  readonly host: Host;
  readonly session: Session;
  /** All consent questions. */
  readonly asked: ConsentQuestion[];
  /** The hostile server, for another host. */
  readonly evil: ServerSource;
  readonly records: readonly AuditRecord[];
  /** What the hostile server recorded. */
  said(about: string): readonly string[];
  /** Checks that the honest servers answer, in the same processes. */
  unharmed(): Promise<void>;
}

/** `crew` is an honest child process, `mail` an honest URL, and `evil` behaves as `mode` says. */
export async function harbour(mode: string, way: Way, options: Partial<HostOptions> = {}): Promise<Harbour> {
  const read = tool({ name: 'read', effects: 'read', run: () => SECRET });
  const mail = await serveHttp(createServer({ name: 'mail', version: '1', parts: [read] }), { port: 0 });
  const far = way === 'over HTTP' ? await served(mode) : undefined;
  const evil: ServerSource = far?.url ?? { command: process.execPath, args: [program('villain'), mode] };
  const audit = memoryAudit();
  const asked: ConsentQuestion[] = [];
  const { consent = () => ({ allow: true }), ...rest } = options;
  const ask = typeof consent === 'function' ? consent : consent.ask.bind(consent);
  let isBegun = false;
  const host = createHost({
    servers: { crew, mail: mail.url, evil },
    policy: [rules.allow({})],
    audit,
    health: false,
    // Timeouts start with the test, because honest servers can start slowly on a busy machine.
    clock: { ...systemClock, after: (...timer) => (isBegun ? systemClock.after(...timer) : () => undefined) },
    onWarning: () => undefined,
    ...rest,
    consent: (question, signal) => {
      asked.push(question);
      return ask(question, signal);
    },
  });
  const session = host.session({ principal: 'ada' });
  const first = (await session.call('crew.whoami')).text;
  await host.servers.get('mail')?.connect();
  isBegun = true;
  return {
    ...{ host, session, asked, evil },
    records: audit.records,
    said: (about) => {
      const lines = far?.lines ?? host.servers.get('evil')?.log.map((line) => line.replace(/^stderr: /, '')) ?? [];
      return lines.filter((line) => line.startsWith(about));
    },
    async unharmed() {
      expect((await session.call('crew.whoami')).text).toBe(first);
      expect((await session.call('mail.read')).text).toBe(SECRET);
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await mail.close();
      await far?.stop();
    },
  };
}

interface Far {
  readonly url: string;
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

async function served(mode: string): Promise<Far> {
  const child: ChildProcess = spawn(process.execPath, [program('villain'), mode, 'http'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  const port = new Promise<string>((resolve) => {
    if (child.stderr === null) throw new Error('there is nothing to read');
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.startsWith('port ')) resolve(line.slice('port '.length));
    });
  });
  return {
    url: `http://127.0.0.1:${await port}/mcp`,
    lines,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
