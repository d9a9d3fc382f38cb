/** A number with its noun: `1 call`, `2 calls`. */
export const countOf = (count: unknown, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
