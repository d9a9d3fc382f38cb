/** The public interface to the servers of a host: a map by label that changes while the host runs. */
import type { ServerSource } from '../config/source.ts';
import type { ManagedServer } from './managed-server.ts';

/** A change of a host's servers. */
export interface ServerChange {
  readonly kind: 'added' | 'removed' | 'disabled' | 'enabled';
  readonly label: string;
  readonly server: ManagedServer;
}

/** The servers of a host by label. They can be added, removed, restarted and disabled at any time; sessions see the change. */
export interface HostServers extends ReadonlyMap<string, ManagedServer> {
  /** Adds a server under an unused label. It is opened on first use, through the gate. */
  add(label: string, source: ServerSource): ManagedServer;
  /** Removes and stops a server. Its open calls fail with `MCP_CLOSED`. Its approvals do not apply to another command or URL. */
  remove(label: string): Promise<void>;
  /** Closes a server and opens it again, through the gate. Its open calls fail with `MCP_CLOSED`. */
  restart(label: string): Promise<void>;
  /** Stops a server without removing it. Its parts leave the catalogue, and calls fail with `MCP_CLOSED` until it is enabled. */
  disable(label: string): Promise<void>;
  /** Enables a disabled server. It is opened again on its next use. */
  enable(label: string): void;
  /**
   * Follows configuration files as `fromConfig` reads them, until the host is closed: new entries are added, changed ones replace
   * their server, and servers whose entry is gone or disabled are removed. Others are not touched. A file with an error changes
   * nothing and is reported to `onWarning`. Resolves after the first read.
   */
  follow(...files: readonly string[]): Promise<FollowedConfig>;
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: (change: ServerChange) => void): () => void;
}

/** Configuration files that a host follows. */
export interface FollowedConfig extends AsyncDisposable {
  /** Reads the files now. Resolves when the changes are applied. */
  reload(): Promise<void>;
  /** Stops following. The servers stay. */
  close(): Promise<void>;
}
