/** A window over the page. The browser keeps the focus in it and closes it with Escape. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, type Inside } from './elements.tsx';

export function Dialog(props: { title: string; onClose(): void; class?: string } & Inside) {
  const { title, onClose, children, class: name = 'window-dialog' } = props;
  const element = useRef<HTMLDialogElement>(null);
  // Before it is painted: what is typed next goes to it.
  useLayoutEffect(() => {
    if (element.current?.open === false) element.current.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={name}
      aria-label={title}
      // The event comes late: by then this window can be gone, and another one open.
      onClose={() => element.current !== null && onClose()}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      {name === 'window-dialog' && (
        <header>
          <h2>{title}</h2>
          <Button kind="quiet" small symbol="close" name="Close" onClick={() => element.current?.close()} />
        </header>
      )}
      {children}
    </dialog>
  );
}
