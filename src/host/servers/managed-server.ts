/** One server of a host: a client of its own, opened when it is first needed, and apart from all others. */
import type { Client } from '../../client/index.ts';
import type { Act } from '../act/act.ts';

/** How it stands with a server. */
export type ServerState = 'idle' | 'connecting' | 'ready' | 'failed' | 'stopped';

/** One server of a host, as its owner sees it. */
export interface ManagedServer {
  readonly label: string;
  /** The command or the address, as it was shown when it was last opened; empty before. */
  readonly address: string;
  readonly state: ServerState;
  /** Somebody is thinking about whether it may be opened. */
  readonly asking: boolean;
  /** Why it failed, if it did. */
  readonly failure: Error | undefined;
  /** The client, opened through the gate if it is not open yet. */
  client(signal?: AbortSignal): Promise<Client>;
  /** The facts that every act on it starts from. */
  facts(): Pick<Act, 'server' | 'fingerprint'>;
  /** Is not closed for want of use until the returned function is called. */
  keep(): () => void;
  onState(listener: (state: ServerState) => void): () => void;
  /** The last lines of its log and its standard error, oldest first. */
  readonly log: readonly string[];
  /** Calls back with each line that is added to the log, until the returned function is called. */
  onLog(listener: (line: string) => void): () => void;
  stop(): Promise<void>;
}
