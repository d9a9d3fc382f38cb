/** A modal dialog. The browser traps the focus and closes it with Escape. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, type WithChildren } from './elements.tsx';

export function Dialog(props: { title: string; onClose(): void; class?: string } & WithChildren) {
  const { title, onClose, children, class: name = 'window-dialog' } = props;
  const element = useRef<HTMLDialogElement>(null);
  // A layout effect: the next key press must already go to the dialog.
  useLayoutEffect(() => {
    if (element.current?.open === false) element.current.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={name}
      aria-label={title}
      // Escape. Closed at once, because `close` comes later, and the next key must find the page without the dialog.
      onCancel={(event) => {
        event.preventDefault();
        element.current?.close();
        onClose();
      }}
      // The event is asynchronous: another dialog may already have replaced this one.
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
