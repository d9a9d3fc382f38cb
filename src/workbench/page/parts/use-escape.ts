/** Escape closes what was opened last, and the focus goes back to where it was. */
import { useLayoutEffect, useRef } from 'preact/hooks';

const opened: { close(): void }[] = [];

export function closeLastOpened(): void {
  opened.at(-1)?.close();
}

/** For a part of a screen: it was opened when it was first drawn. */
export function useEscape(close: () => void): void {
  const part = useRef({ close });
  part.current.close = close;
  // Before it is painted: by then the focus can be in it already.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const own = part.current;
    opened.push(own);
    return () => {
      opened.splice(opened.indexOf(own), 1);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
}
