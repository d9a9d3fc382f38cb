/** Finds what a session names: a tool or a prompt behind the label of its server, a resource by its URI. */
import type { Act } from '../act/act.ts';
import type { HostedServer } from '../servers/managed-server.ts';

/** What an act is about, with the facts that are known of it. */
export interface ActSubject {
  readonly server: HostedServer;
  /** As the server calls it. */
  readonly name: string;
  readonly facts: Pick<Act, 'claimed' | 'openWorld' | 'definition' | 'status'>;
  readonly warnings: readonly string[];
  /** Its definition as the server gives it now; undefined where it is no longer offered. */
  current?(signal?: AbortSignal): Promise<Pick<Act, 'definition'> | undefined>;
  /** It may be used as it is defined now; resolves when that is written down. */
  agreed?(): Promise<void>;
}

export interface Directory {
  tool(name: string, signal?: AbortSignal): Promise<ActSubject>;
  prompt(name: string, signal?: AbortSignal): Promise<ActSubject>;
  resource(server: string, uri: string): Promise<ActSubject>;
}
