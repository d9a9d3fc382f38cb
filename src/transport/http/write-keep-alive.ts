/** Keep-alive of idle streams, because proxies close connections without traffic. */
import type { EventSink } from './view.ts';

/** Writes a comment, unless earlier text is still unread. */
export function writeKeepAlive(sink: EventSink): void {
  if (sink.queued === 0) sink.write(':\n\n');
}
