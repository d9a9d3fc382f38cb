/** Observes the content size of a view, and reports it to the host, throttled. */
import { systemClock } from '../../peer/clock.ts';
import type { ViewSize } from './bridge-types.ts';
import { SizeReports } from './view-size.ts';

export function reportSize(send: (size: ViewSize) => void): void {
  const reports = new SizeReports(systemClock, send);
  const start = (): void => {
    const observer = new ResizeObserver(() => reports.note(contentSize()));
    // The size of the body depends on its content, that of the document on the frame.
    observer.observe(document.body);
    observer.observe(document.documentElement);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
}

/** Includes overflow and the margins of the body. */
function contentSize(): { width: number; height: number } {
  const { body, documentElement } = document;
  const { marginTop, marginBottom } = getComputedStyle(body);
  const height = body.scrollHeight + (Number.parseFloat(marginTop) || 0) + (Number.parseFloat(marginBottom) || 0);
  return { width: Math.ceil(documentElement.scrollWidth), height: Math.ceil(height) };
}
