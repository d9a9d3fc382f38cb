/** Text from elsewhere, without what would drive a terminal: control characters and marks that reorder what is read. */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be made visible
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A URL as it may be shown: a query may hold secrets. */
export const shown = ({ origin, pathname }: URL): string => origin + pathname;

/** Why the network failed: its errors hide the reason in different places. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? `: ${reasonOf(error.cause)}` : '';
  return printable(`${error.message === '' ? error.name : error.message}${inner}`.slice(0, 300));
}
