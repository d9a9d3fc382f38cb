/** What an act is about, as the catalogue knows it. */
import type { Act } from '../act/act.ts';
import type { HostedServer } from '../servers/managed-server.ts';

type ClaimedFacts = Pick<Act, 'claimed' | 'assumed' | 'openWorld'>;
export type ItemFacts = Pick<Act, 'kind' | 'server' | 'name' | 'definition' | 'status'> & ClaimedFacts;

export interface ActSubject {
  readonly server: HostedServer;
  /** What the server calls it. */
  readonly name: string;
  readonly facts: Pick<Act, 'definition' | 'status'> & ClaimedFacts;
  readonly warnings: readonly string[];
  /** Its definition as the server gives it now; undefined where it is no longer offered. */
  current?(signal?: AbortSignal): Promise<Pick<Act, 'definition'> | undefined>;
  /** Approves it as it is defined now; resolves when that is written. */
  approve?(): Promise<void>;
}
