/** How wide text is on a terminal, and where its lines are broken. */

const narrow = /^[\x20-\x7e]*$/;
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
/** Colours take no room. */
const styles = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
const without = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const c of text.replace(styles, '')) width += without.test(c) ? 0 : wide.test(c) ? 2 : 1;
  return width;
}

/** A line, broken between words and indented as it begins. A longer word stays whole. Without a width, nothing is broken. */
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

/** The same for a text of several lines. */
export const wrapLines = (text: string, columns: number | undefined = 0): string =>
  text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
