/**
 * The beginning of a text, to be kept: in memory of its own. What `slice` returns refers to the whole text, so that a few letters
 * of a long answer keep all of it.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text.slice(0, length)));
}
