/** Scrolls an outcome into view when it changes, because a long form can push it out of sight. Not on mount. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export function InView<T>({ of, children }: { of: T | undefined; children(of: T): ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef(of);
  useLayoutEffect(() => {
    if (of !== before.current) box.current?.scrollIntoView({ block: 'nearest' });
    before.current = of;
  }, [of]);
  return of === undefined ? null : <div ref={box}>{children(of)}</div>;
}
