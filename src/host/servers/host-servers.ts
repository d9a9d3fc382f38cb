/** The servers of a host as its owner sees them: a map by label that changes while the host runs. */
import type { ServerSource } from '../config/source.ts';
import type { ManagedServer } from './managed-server.ts';

/** What happened to a server of a host. */
export interface ServerChange {
  readonly kind: 'added' | 'removed' | 'disabled' | 'enabled';
  readonly label: string;
  readonly server: ManagedServer;
}

/** The servers of a host by label. They can be added, removed, restarted and disabled at any time; sessions see the change. */
export interface HostServers extends ReadonlyMap<string, ManagedServer> {
  /** Adds a server under a label that no other has. The server is opened when it is first needed, through the gate. */
  add(label: string, source: ServerSource): ManagedServer;
  /** Takes a server out and stops it. Its open calls fail with `MCP_CLOSED`. Approvals of it do not hold for another command or URL. */
  remove(label: string): Promise<void>;
  /** Closes a server and opens it again, through the gate. Its open calls fail with `MCP_CLOSED`. */
  restart(label: string): Promise<void>;
  /** Stops a server and keeps it in the list. Its parts leave the catalogue, and calls fail with `MCP_CLOSED` until it is enabled. */
  disable(label: string): Promise<void>;
  /** Lets a disabled server be opened again, when it is next needed. */
  enable(label: string): void;
  /**
   * Follows configuration files as `fromConfig` reads them, until the host is closed: new entries are added, changed ones replace
   * their server, and servers whose entry is gone or disabled are removed. Others are not touched. A file with an error changes
   * nothing and is reported to `onWarning`. Resolves when the files have been read once.
   */
  follow(...files: readonly string[]): Promise<FollowedConfig>;
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: (change: ServerChange) => void): () => void;
}

/** Configuration files that a host follows. */
export interface FollowedConfig extends AsyncDisposable {
  /** Reads the files now. Resolves when the changes are applied. */
  reload(): Promise<void>;
  /** Stops following. The servers stay. */
  close(): Promise<void>;
}
