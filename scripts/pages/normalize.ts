/** Removes what differs between runs and machines from the output of a command. */
import { stripVTControlCharacters } from 'node:util';

/** Converts output to plain text for a page. `folders` are replaced, and ordered longest first. */
export function forPage(output: string, folders: readonly (readonly [from: string, to: string])[]): string {
  // "Cursor to column 1" acts like a carriage return.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled by these characters
  const plain = stripVTControlCharacters(output.replace(/\u001b\[1?G/g, '\r'))
    .replace(/\r+\n/g, '\n')
    .split('\n')
    // Text before a carriage return is overwritten.
    .map((line) => (line.split('\r').at(-1) ?? '').trimEnd())
    .join('\n');
  const moved = folders.reduce((text, [from, to]) => text.replaceAll(from, to), plain);
  return `${moved.replace(/^\n+/, '').trimEnd()}\n`;
}

/** Two outputs are equal if these are equal. */
export function normalize(text: string): string {
  return (
    text
      .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, '<time>')
      .replace(/\b\d{8}T\d{6}Z/g, '<time>')
      .replace(/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>')
      .replace(/\b(127\.0\.0\.1|localhost|\[::1\]):(?:3[2-9]|4\d|5\d|6[0-5])\d{3}\b/g, '$1:<port>')
      .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, '<id>')
      .replace(/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/g, '<id>')
      // 32 random bytes in base64url.
      .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '<id>')
      .replace(/\bin \d+ min\b/g, 'in <n> min')
      .replace(/\b(duration_ms) [\d.]+/g, '$1 <n>')
      .replace(/\b\d+(?:\.\d+)?\s?(?:ms|µs|s)\b/g, '<n> s')
      // On a busy machine, a server that starts slowly is treated as an older one.
      .replace(/\brevision(\s+)\d{4}-\d\d-\d\d/g, 'revision$1<date>')
      .replace(/\bpid \d+/g, 'pid <n>')
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trim()
  );
}
