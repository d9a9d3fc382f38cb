/** Tells the host how large the content of a view is: at most ten times a second, and only changes that can be seen. */
import { systemClock } from '../../peer/clock.ts';

const MIN_PAUSE_MS = 100;
const MIN_CHANGE_PX = 1;

export function reportSize(send: (size: { readonly width: number; readonly height: number }) => void): void {
  let last = { width: 0, height: 0 };
  let isPaused = false;
  const look = (): void => {
    isPaused = false;
    const size = contentSize();
    const change = Math.max(Math.abs(size.width - last.width), Math.abs(size.height - last.height));
    if (change <= MIN_CHANGE_PX) return;
    last = size;
    send(size);
    // What changes meanwhile is seen then.
    isPaused = true;
    systemClock.after(MIN_PAUSE_MS, look);
  };
  const start = (): void => {
    const observer = new ResizeObserver(() => {
      if (!isPaused) look();
    });
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
