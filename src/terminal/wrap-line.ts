/** Measures the width of text on a terminal, and wraps lines. */

const narrow = /^[\x20-\x7e]*$/;
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
/** Color escape sequences, which have no width. */
const styles = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
const zeroWidth = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;

/** The number of terminal columns that a text occupies. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const c of text.replace(styles, '')) width += zeroWidth.test(c) ? 0 : wide.test(c) ? 2 : 1;
  return width;
}

/** Breaks a line between words, with the indentation of the original. A longer word stays whole. With 0 columns, returns the line. */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (!(columns > 0) || widthOf(line.trimEnd()) <= columns) return [line];
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent;
  for (const [word] of line.slice(indent.length).matchAll(/\S+\s*/g)) {
    if (current !== indent && widthOf((current + word).trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
  }
  return [...lines, current];
}

/** Wraps each line of a text. */
export const wrapLines = (text: string, columns: number | undefined = 0): string =>
  text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
