/** A stack of closable parts: Escape closes the newest one, and the focus returns to where it was. */
import { useLayoutEffect, useRef } from 'preact/hooks';

const opened: { close(): void }[] = [];

export function closeLastOpened(): void {
  opened.at(-1)?.close();
}

/** Registers a part of the screen on mount; restores the focus on unmount. */
export function useEscape(close: () => void): void {
  const part = useRef({ close });
  part.current.close = close;
  // A layout effect: runs before the focus can move into the part.
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
