/** Copies text to the clipboard, and shows a notice. */
import { notice } from '../store.ts';

export async function copyText(text: string | (() => string | Promise<string>)): Promise<void> {
  const value = typeof text === 'string' ? text : await text();
  await navigator.clipboard.writeText(value).then(
    () => {
      notice.value = 'Copied.';
    },
    () => {
      notice.value = 'The browser did not allow copying. Select the text and copy it by keyboard.';
    },
  );
}
