/** Dependencies and settings that all servers of a host share. */
import type { ConnectOptions, Handlers, Timeouts } from '../../client/index.ts';
import type { ClientAuth } from '../../model/auth.ts';
import type { Masks } from '../../model/secrets.ts';
import type { Transport } from '../../peer/exchange.ts';
import type { Gate } from '../gate/gate.ts';
import type { FingerprintKey } from './fingerprint.ts';
import type { HandshakeStore } from './handshake-hint.ts';
import type { MaintenanceOptions } from './maintenance.ts';
import type { HostedServer } from './managed-server.ts';
import type { Sandbox } from './sandbox.ts';
import type { Lookups } from './text-resolver.ts';

/** Hooks of the workbench into each connection. */
export interface ConnectionHooks {
  /** Wraps the transport of a server. `masks` has the server's secrets. */
  wrapTransport(transport: Transport, label: string, masks: Masks): Transport;
  /** The revisions to offer to this server; undefined for those of the host. */
  revisionsOf(label: string): readonly string[] | undefined;
  /** Examines why a server could not be opened, under the permission to open it. */
  examineFailure(label: string, failure: Error): Promise<void>;
}

export interface ServerContext extends MaintenanceOptions {
  readonly gate: Gate;
  readonly lookups: Lookups;
  readonly handshakes: HandshakeStore;
  /** Credentials for URLs without their own. */
  readonly auth: ClientAuth | undefined;
  readonly sandbox: Sandbox | undefined;
  /** The key for fingerprints of definitions. */
  readonly fingerprintKey: FingerprintKey;
  readonly connect: Pick<
    ConnectOptions,
    'name' | 'version' | keyof Timeouts | 'revisions' | 'clock' | 'random' | 'extensions'
  >;
  /** Answers the requests of the server. */
  handlers(server: HostedServer): Handlers;
  /** Wraps a transport, so that it sends only what the gate has allowed. */
  guardTransport(transport: Transport, label: string, masks: Masks): Transport;
  readonly hooks?: ConnectionHooks | undefined;
  /** Revokes all permissions to send to the server. */
  revoke(label: string): void;
}
