/**
 * Truncates a text that will be stored, and copies it. A string from `slice` refers to the whole text, so a few stored characters would
 * retain all of a long response.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text.slice(0, length)));
}
