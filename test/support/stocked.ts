/** A catalogue over servers that a test describes, with real connections and a real gate. */

import type { Rule } from '../../src/host/act/rule.ts';
import { HostCatalogue } from '../../src/host/catalogue/catalogue.ts';
import { SessionCatalogue, SharedViews } from '../../src/host/catalogue/session-catalogue.ts';
import { visibility } from '../../src/host/catalogue/visibility.ts';
import type { ServerSource } from '../../src/host/config/source.ts';
import { GateKeeper, type GateOptions } from '../../src/host/gate/gate-keeper.ts';
import { leaseTransport } from '../../src/host/lease/lease-layer.ts';
import { Lock, type LockOptions } from '../../src/host/lock/lock.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { processKey } from '../../src/host/servers/fingerprint.ts';
import { ServerCollection } from '../../src/host/servers/server-collection.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { FakeServer, type Handler } from './fake-server.ts';
import { HeldClock } from './held-clock.ts';

export interface Offered {
  readonly tools?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  readonly templates?: readonly JsonObject[];
}

/** A server with these lists, which a test can replace. */
export class Offering {
  offered: Offered;
  readonly server: FakeServer;

  constructor(
    offered: Offered,
    { revision = '2025-11-25', on = {} }: { revision?: string; on?: Record<string, Handler> } = {},
  ) {
    this.offered = offered;
    const list =
      (kind: keyof Offered, member: string): Handler =>
      () => ({ [member]: this.offered[kind] ?? [], ttlMs: 0, cacheScope: 'private' });
    const capabilities = {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    };
    const lists = {
      'tools/list': list('tools', 'tools'),
      'prompts/list': list('prompts', 'prompts'),
      'resources/list': list('resources', 'resources'),
      'resources/templates/list': list('templates', 'resourceTemplates'),
    };
    this.server = new FakeServer({ revision, capabilities, on: { ...lists, ...on } });
  }

  /** Replaces a list and sends the notification. */
  change(kind: 'tools' | 'prompts' | 'resources', offered: Offered): void {
    this.offered = { ...this.offered, ...offered };
    this.server.line.notify(`notifications/${kind}/list_changed`);
  }
}

export const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});

export interface StockedOptions {
  readonly policy?: readonly Rule[];
  readonly consent?: GateOptions['consent'];
  readonly lock?: Partial<LockOptions>;
}

export class Stocked implements AsyncDisposable {
  readonly clock: HeldClock = new HeldClock();
  readonly keeper: GateKeeper;
  readonly servers: ServerCollection;
  readonly lock: Lock;
  readonly catalogue: HostCatalogue;
  readonly warnings: string[] = [];
  readonly #policy: readonly Rule[];
  readonly #canAsk: boolean;

  constructor(sources: Readonly<Record<string, Offering | ServerSource>>, options: StockedOptions = {}) {
    const { policy = [rules.allow({})], consent, lock } = options;
    const clock = this.clock;
    this.#policy = policy;
    this.#canAsk = consent !== undefined;
    this.keeper = new GateKeeper({ policy, consent, clock });
    this.lock = new Lock({ clock, onWarning: (warning) => this.warnings.push(warning), ...lock });
    const surroundings = {
      gate: this.keeper,
      handshakes: this.lock,
      health: false,
      auth: undefined,
      sandbox: undefined,
      fingerprintKey: processKey(),
      lookups: { env: {}, userHome: '/home/ada', cwd: '/work', secrets: undefined, inputs: undefined },
      connect: { clock, random: () => 0 },
      handlers: () => ({}),
      guardTransport: (transport: Parameters<typeof leaseTransport>[0], label: string) =>
        leaseTransport(transport, label, this.keeper.leases),
      revoke: (label: string) => this.keeper.leases.endServer(label),
    } as const;
    const transports = Object.entries(sources).map(([label, source]): [string, ServerSource] => [
      label,
      source instanceof Offering ? source.server.transport : source,
    ]);
    this.servers = new ServerCollection(Object.fromEntries(transports), surroundings, (warning) =>
      this.warnings.push(warning),
    );
    this.catalogue = new HostCatalogue({
      servers: this.servers,
      lock: this.lock,
      clock,
      onWarning: (warning) => this.warnings.push(warning),
    });
  }

  view(principal = 'ada'): SessionCatalogue {
    return new SessionCatalogue({
      catalogue: this.catalogue,
      visibilityOf: visibility(this.#policy, { canAsk: this.#canAsk }),
      views: new SharedViews(),
      principal,
      session: 'a session',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.catalogue.close();
    await this.servers.close();
  }
}
