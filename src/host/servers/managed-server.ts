/** The interfaces of one server of a host, which has its own client and is opened on first use. */
import type { Client } from '../../client/index.ts';
import type { Act } from '../act/act.ts';

/**
 * `idle`: closed until the next use. `connecting`: being opened, or waiting for permission. `restarting`: the connection was lost, and
 * is opened again after a delay. `failed`: the next use tries again. `disabled`: closed until it is enabled. `stopped`: permanently closed.
 */
export type ServerState = 'idle' | 'connecting' | 'ready' | 'restarting' | 'failed' | 'disabled' | 'stopped';

/** An open server, limited to what needs no permission: its info, its lists and their changes. Everything else goes through a session. */
export type ConnectedServer = Pick<Client, 'server' | 'list' | 'watch'>;

/** One server of a host. */
export interface ManagedServer {
  readonly label: string;
  /** The command or URL, as displayed when the server was last opened; empty before. */
  readonly address: string;
  readonly state: ServerState;
  /** Whether the user is being asked for permission to open it. */
  readonly asking: boolean;
  /** Why it failed, if it did. */
  readonly failure: Error | undefined;
  /** Opens the server through the gate, if it is not open yet. */
  connect(signal?: AbortSignal): Promise<ConnectedServer>;
  /** Prevents the idle timeout until the returned function is called. */
  keep(): () => void;
  onState(listener: (state: ServerState) => void): () => void;
  /** The last lines of its log and its standard error, oldest first. */
  readonly log: readonly string[];
  /** Calls the listener with each new line of the log, until the returned function is called. */
  onLog(listener: (line: string) => void): () => void;
  /** Closes the server permanently. */
  stop(): Promise<void>;
}

/** A server inside the host, with its client. Everything that the client sends needs a lease. */
export interface HostedServer extends ManagedServer {
  /** The client, opened through the gate if it is not open yet. */
  client(signal?: AbortSignal): Promise<Client>;
  /** The error for callers while the server is disabled or stopped. */
  readonly unavailable: Error | undefined;
  /** Aborts with the reason when the host closes the connection. The next one has another signal. */
  readonly closeSignal: AbortSignal;
  /** The label and fingerprint of the server, which every act on it has. */
  identity(): Pick<Act, 'server' | 'fingerprint'>;
}
