/** Copies text to the clipboard, and shows a notice. */
import { notice, sentenceOf } from '../store.ts';

export async function copyText(text: string | (() => string | Promise<string>), done = 'Copied.'): Promise<void> {
  try {
    const value = typeof text === 'string' ? text : await text();
    await navigator.clipboard.writeText(value).catch(() => {
      throw new Error('The browser denied access to the clipboard. Select the text and copy it with the keyboard.');
    });
    notice.value = done;
  } catch (error) {
    notice.value = sentenceOf(error);
  }
}
