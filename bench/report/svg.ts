/** Shared parts of the charts. */
const FONT = 'font-family="system-ui, sans-serif"';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? found);

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly bold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly color?: string;
}

export function label(text: string, { x, y, size = 12, bold = false, anchor = 'start', color = INK }: Placed): string {
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}"${weight} text-anchor="${anchor}" fill="${color}">${escaped(text)}</text>`;
}

export const round = (value: number): string => String(Math.round(value * 10) / 10);

/** With its own background, so that it is readable on a page of any color. */
export function picture(width: number, height: number, parts: readonly string[]): string {
  const size = `width="${width}" height="${round(height)}" viewBox="0 0 ${width} ${round(height)}"`;
  const paper = `<rect width="100%" height="100%" fill="${PAPER}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${FONT}>\n${[paper, ...parts].join('\n')}\n</svg>\n`;
}

const PAPER = '#ffffff';
const INK = '#1f2933';
export const FAINT = '#d5dae0';
export const MUTED = '#66727f';

const colors: readonly (readonly [string, string])[] = [
  ['limit', '#9aa5b1'],
  ['Mooring', '#0b7285'],
  ['official v2', '#e8590c'],
  ['official v1', '#f59f00'],
  ['fastmcp', '#c2255c'],
  ['tmcp', '#5f3dc4'],
  ['mcp-lite', '#2b8a3e'],
];

/** A contender has the same color in every chart. */
export const colorOf = (name: string): string => colors.find(([who]) => name.startsWith(who))?.[1] ?? MUTED;
