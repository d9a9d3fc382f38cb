/** Tells the host how large the content of a view is, as often as hosts take it. */
import { systemClock } from '../../peer/clock.ts';
import type { ViewSize } from './bridge-types.ts';
import { SizeReports } from './view-size.ts';

export function reportSize(send: (size: ViewSize) => void): void {
  const reports = new SizeReports(systemClock, send);
  const start = (): void => {
    const observer = new ResizeObserver(() => reports.note(contentSize()));
    // The body follows its content, the document the frame.
    observer.observe(document.body);
    observer.observe(document.documentElement);
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
}

/** With what overflows, and the margins of the body. A page as high as its frame stays as high. */
function contentSize(): { width: number; height: number } {
  const { body, documentElement } = document;
  const { marginTop, marginBottom } = getComputedStyle(body);
  const height = body.scrollHeight + (Number.parseFloat(marginTop) || 0) + (Number.parseFloat(marginBottom) || 0);
  return { width: Math.ceil(documentElement.scrollWidth), height: Math.ceil(height) };
}
