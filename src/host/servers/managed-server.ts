/** One server of a host: a client of its own, opened when it is first needed, and independent of all others. */
import type { Client } from '../../client/index.ts';
import type { Act } from '../act/act.ts';

/**
 * `idle`: closed, and the next use opens it. `connecting`: being opened, or waiting for permission. `restarting`: the connection was
 * lost, and is opened again after a pause. `failed`: the next use tries again. `disabled`: until it is enabled. `stopped`: for good.
 */
export type ServerState = 'idle' | 'connecting' | 'ready' | 'restarting' | 'failed' | 'disabled' | 'stopped';

/** An open server, as far as no act is needed: how it introduces itself, its lists, and their changes. The rest goes through a session. */
export type ConnectedServer = Pick<Client, 'server' | 'list' | 'watch'>;

/** One server of a host, as its owner sees it. */
export interface ManagedServer {
  readonly label: string;
  /** The command or the URL, as it was shown when it was last opened; empty before. */
  readonly address: string;
  readonly state: ServerState;
  /** The user is being asked whether it can be opened. */
  readonly asking: boolean;
  /** Why it failed, if it did. */
  readonly failure: Error | undefined;
  /** Opens it through the gate, if it is not open yet. */
  connect(signal?: AbortSignal): Promise<ConnectedServer>;
  /** Keeps it from being closed as idle until the returned function is called. */
  keep(): () => void;
  onState(listener: (state: ServerState) => void): () => void;
  /** The last lines of its log and its standard error, oldest first. */
  readonly log: readonly string[];
  /** Calls back with each line that is added to the log, until the returned function is called. */
  onLog(listener: (line: string) => void): () => void;
  /** Closes it for good. */
  stop(): Promise<void>;
}

/** The same inside the host, which alone has the client: what it sends needs a lease. */
export interface HostedServer extends ManagedServer {
  /** The client, opened through the gate if it is not open yet. */
  client(signal?: AbortSignal): Promise<Client>;
  /** Aborts with the reason when the host closes the connection. The next one has another signal. */
  readonly closeSignal: AbortSignal;
  /** The facts that every act on it starts from. */
  facts(): Pick<Act, 'server' | 'fingerprint'>;
}
