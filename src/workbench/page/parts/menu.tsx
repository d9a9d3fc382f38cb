/** A button that opens a menu. It is a popover, so the browser closes it and restores the focus. */
import { useId, useRef } from 'preact/hooks';
import { Button, Icon, type WithChildren } from './elements.tsx';

export interface MenuItem {
  readonly title: string;
  /** The key that triggers the item. */
  readonly keys?: string | undefined;
  readonly onChoose: () => void;
}

export function Menu(props: { items: readonly MenuItem[]; symbol?: string; name?: string } & WithChildren) {
  const { items, symbol, name, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const place = (event: { newState: string }): void => {
    const button = document.querySelector(`[popovertarget="${id}"]`);
    const box = button?.getBoundingClientRect();
    if (event.newState !== 'open' || box === undefined || list.current === null) return;
    const width = list.current.offsetWidth;
    const fitsBelow = box.bottom + list.current.offsetHeight + 8 < innerHeight;
    list.current.style.insetInlineStart = `${Math.max(8, Math.min(box.left, innerWidth - width - 8))}px`;
    list.current.style.insetBlockStart = `${fitsBelow ? box.bottom + 4 : box.top - list.current.offsetHeight - 4}px`;
    list.current.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || list.current === null) return;
    const all = [...list.current.querySelectorAll('button')];
    all.at((all.indexOf(document.activeElement as HTMLButtonElement) + step) % all.length)?.focus();
    event.preventDefault();
  };
  return (
    <>
      <Button
        kind="quiet"
        {...(symbol !== undefined && { symbol })}
        {...(name !== undefined && { name })}
        {...{ popovertarget: id }}
        aria-haspopup="menu"
      >
        {children}
        {name === undefined && <Icon name="down" />}
      </Button>
      <div id={id} class="menu" popover="auto" role="menu" ref={list} onToggle={place} onKeyDown={onKeyDown}>
        {items.map(({ title, keys, onChoose }) => (
          <button
            key={title}
            type="button"
            role="menuitem"
            data-key={keys}
            onClick={() => {
              list.current?.hidePopover();
              onChoose();
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </>
  );
}
