/** Copies text to the clipboard, and shows a notice. */
import { notice } from '../store.ts';

export async function copyText(text: string | (() => string | Promise<string>), done = 'Copied.'): Promise<void> {
  const value = typeof text === 'string' ? text : await text();
  await navigator.clipboard.writeText(value).then(
    () => {
      notice.value = done;
    },
    () => {
      notice.value = 'The browser denied access to the clipboard. Select the text and copy it with the keyboard.';
    },
  );
}
