/** The catalogue's facts about the item or server that an act uses. */
import type { Act } from '../act/act.ts';
import type { HostedServer } from '../servers/managed-server.ts';

type ClaimedFacts = Pick<Act, 'claimed' | 'assumed' | 'openWorld'>;
export type ItemFacts = Pick<Act, 'kind' | 'server' | 'name' | 'definition' | 'status'> & ClaimedFacts;

export interface ActSubject {
  readonly server: HostedServer;
  /** The server's own name of the item, or its URI. */
  readonly name: string;
  readonly facts: Pick<Act, 'definition' | 'status'> & ClaimedFacts;
  readonly warnings: readonly string[];
  /** Reads the current definition from the server; undefined if it is no longer offered. */
  current?(signal?: AbortSignal): Promise<Pick<Act, 'definition'> | undefined>;
  /** Approves the definition in the lock file. Resolves when the file is written. */
  approve?(): Promise<void>;
}
