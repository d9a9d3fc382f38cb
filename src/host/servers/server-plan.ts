/** What opening a server means: the act that rules and people decide on, and the way to it once they have agreed. */
import type { ConnectOptions } from '../../client/index.ts';
import type { ConnectionPlan } from '../../connect/target.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Act } from '../act/act.ts';
import type { FingerprintKey } from './fingerprint.ts';
import type { Sandbox } from './sandbox.ts';
import type { ServerLog } from './server-log.ts';
import type { Lookups } from './text-resolver.ts';

export interface ServerPlan {
  readonly act: Act;
  /** What to look at twice. */
  readonly warnings: readonly string[];
  /** Secrets are looked up here, and not before. */
  resolve(): Promise<ConnectionPlan>;
}

/** An opening that can be compared with what it would be now: variables and files change while people think. */
export interface ComparedServerPlan extends ServerPlan {
  current(): Promise<Pick<Act, 'definition'>>;
}

export interface ServerPlanOptions {
  readonly label: string;
  readonly lookups: Lookups;
  readonly masks: Masks;
  readonly log: Pick<ServerLog, 'stderr' | 'write'>;
  /** Credentials for an address that names none itself. */
  readonly auth: ClientAuth | undefined;
  /** What commands run in. */
  readonly sandbox: Sandbox | undefined;
  readonly connect: ConnectOptions;
  /** What the values of a definition are hashed with. */
  readonly fingerprintKey: FingerprintKey;
}

/** What is the same for every way to a server. */
export const openAct = (server: string): Act => ({
  kind: 'connect',
  server,
  name: '',
  arguments: {},
  principal: '',
  effects: 'unknown',
  claimed: 'unknown',
  openWorld: true,
  carries: [],
});

export const mapAll = <T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> =>
  Promise.all(items.map(make));
