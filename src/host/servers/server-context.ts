/** What all servers of a host have in common. */
import type { ConnectOptions, Handlers, Timeouts } from '../../client/index.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { Transport } from '../../peer/exchange.ts';
import type { Gate } from '../gate/gate.ts';
import type { EraMemory } from './era.ts';
import type { FingerprintKey } from './fingerprint.ts';
import type { ManagedServer } from './managed-server.ts';
import type { Sandbox } from './sandbox.ts';
import type { Lookups } from './texts.ts';
import type { UpkeepOptions } from './upkeep.ts';

export interface ServerContext extends UpkeepOptions {
  readonly gate: Gate;
  readonly lookups: Lookups;
  readonly eras: EraMemory;
  /** Credentials for addresses that name none themselves. */
  readonly auth: ClientAuth | undefined;
  /** What commands run in. */
  readonly sandbox: Sandbox | undefined;
  /** What the values of definitions are hashed with. */
  readonly fingerprintKey: FingerprintKey;
  readonly connect: Pick<ConnectOptions, 'name' | 'version' | keyof Timeouts | 'clock' | 'random'>;
  /** Answers what the server asks. */
  handlers(server: ManagedServer): Handlers;
  /** Lets only through what was allowed. */
  guarded(transport: Transport, label: string): Transport;
  /** The server may no longer be talked to. */
  ended(label: string): void;
}
