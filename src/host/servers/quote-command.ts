/** Formats a command on one line, for display and for the lock. */

export const quoteCommand = (words: readonly string[]): string => words.map(quoteWord).join(' ');

/** Quotes a word if its start and end would be unclear. */
const quoteWord = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));
