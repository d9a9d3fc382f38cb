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
  // At once, because the event `close` comes later, and the next key must find the page without the dialog.
  const close = (): void => {
    element.current?.close();
    onClose();
  };
  return (
    <dialog
      ref={element}
      class={name}
      aria-label={title}
      // Escape.
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // The event is asynchronous: another dialog may already have replaced this one.
      onClose={() => element.current !== null && onClose()}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      {name === 'window-dialog' && (
        <header>
          <h2>{title}</h2>
          <Button kind="quiet" small symbol="close" name="Close" onClick={close} />
        </header>
      )}
      {children}
    </dialog>
  );
}
