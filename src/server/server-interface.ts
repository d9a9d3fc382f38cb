/** A server as its author sees it. */
import type { Typed } from '../model/parts.ts';
import type { Servable } from '../peer/exchange.ts';
import type { Part, PartsCatalogue } from './part.ts';
import type { TaskWorker } from './tasks/server-tasks.ts';

/** What `createServer` makes: definitions, and no caller's state. Serve the same value as often as you like. */
export interface Server<P extends readonly Part[] = readonly Part[]>
  extends Required<Servable>,
    Typed<PartsCatalogue<P>> {
  readonly name: string;
  readonly version: string;
  /** The revisions it supports, newest first. */
  readonly revisions: readonly string[];
  /**
   * Proves that no check against a plain JSON Schema of yours can take too long. Transports call this before they serve; call it
   * yourself where you mount the server with `nodeHandler`, so that a bad schema stops the start.
   */
  prepare(): Promise<void> | undefined;
  /** Offers one more part from now on, and notifies the clients that listen for changes. */
  add(part: Part): void;
  /** Removes the part with this name or URI; false if there is none. */
  remove(name: string): boolean;
  /** Notifies the clients that subscribed to this resource, or with the URI of a template, those that listen for changes of the list. */
  updated(uri: string): void;
  /** Runs tasks in a process that serves no clients; undefined where the server has no tasks. */
  readonly tasks: TaskWorker | undefined;
  /** Ends every stream of changes, and leaves its tasks to other processes. Conversations are ended by their transports. */
  close(): void;
}
