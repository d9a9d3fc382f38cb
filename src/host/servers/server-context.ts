/** What all servers of a host have in common. */
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

/** What an application that explains its host adds to it, for each connection that is opened. */
export interface ConnectionHooks {
  /** The transport as the host uses it, with the secrets that the server was given. */
  wrapTransport(transport: Transport, label: string, masks: Masks): Transport;
  /** The revisions to speak with this server; undefined for those of the host. */
  revisionsOf(label: string): readonly string[] | undefined;
  /** Finds out why a server could not be opened, within the permission to open it. */
  examineFailure(label: string, failure: Error): Promise<void>;
}

export interface ServerContext extends MaintenanceOptions {
  readonly gate: Gate;
  readonly lookups: Lookups;
  readonly handshakes: HandshakeStore;
  /** Credentials for URLs that bring none of their own. */
  readonly auth: ClientAuth | undefined;
  readonly sandbox: Sandbox | undefined;
  /** What the values of definitions are hashed with. */
  readonly fingerprintKey: FingerprintKey;
  readonly connect: Pick<
    ConnectOptions,
    'name' | 'version' | keyof Timeouts | 'revisions' | 'clock' | 'random' | 'extensions'
  >;
  /** Answers the requests of the server. */
  handlers(server: HostedServer): Handlers;
  /** Lets only pass what the gate has allowed. */
  guardTransport(transport: Transport, label: string, masks: Masks): Transport;
  readonly hooks?: ConnectionHooks | undefined;
  /** Nothing is sent to the server any more. */
  revoke(label: string): void;
}
