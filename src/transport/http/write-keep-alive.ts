/** What keeps a silent stream open: proxies close connections that carry nothing. */
import type { EventSink } from './view.ts';

/** Writes a comment, unless the reader has not read the last one. */
export function writeKeepAlive(sink: EventSink): void {
  if (sink.queued === 0) sink.write(':\n\n');
}
