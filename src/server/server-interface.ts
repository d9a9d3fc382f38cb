/** The interface of a server for its author. */
import type { Typed } from '../model/parts.ts';
import type { Servable } from '../peer/exchange.ts';
import type { Part, PartsCatalogue } from './part.ts';
import type { TaskWorker } from './tasks/server-tasks.ts';

/** A server, made by `createServer`. Holds definitions and no state of callers, so one value can be served any number of times. */
export interface Server<P extends readonly Part[] = readonly Part[]>
  extends Required<Servable>,
    Typed<PartsCatalogue<P>> {
  readonly name: string;
  readonly version: string;
  /** The revisions it supports, newest first. */
  readonly revisions: readonly string[];
  /**
   * Proves that no check against a plain JSON Schema of yours can take too long. Transports call this before they serve. Call it
   * yourself if you mount the server with `nodeHandler`, so that an invalid schema fails at startup.
   */
  prepare(): Promise<void> | undefined;
  /** Adds a part, and notifies the clients that subscribed to changes. */
  add(part: Part): void;
  /** Removes the part with this name or URI; false if there is none. */
  remove(name: string): boolean;
  /** Notifies the clients that subscribed to this resource; for the URI of a template, those that subscribed to changes of the list. */
  updated(uri: string): void;
  /** Runs tasks in a process that serves no clients; undefined if the server has no tasks. */
  readonly tasks: TaskWorker | undefined;
  /** Ends all streams of changes, and releases its tasks to other processes. Transports end the conversations. */
  close(): void;
}
