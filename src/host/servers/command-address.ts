/** A command on one line, as it is shown and as the lock pins it. */

export const commandAddress = (words: readonly string[]): string => words.map(quoteWord).join(' ');

/** Shows where an argument begins and ends. */
const quoteWord = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));
