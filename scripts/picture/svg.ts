/** Draws a screen as SVG, readable on light and dark pages and by screen readers. */
import type { Cell, Screen } from './screen.ts';

const CELL = { width: 8.4, height: 20 };
const MARGIN = { left: 20, top: 54, bottom: 20 };
const FONT = "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** Black, red, green, yellow, blue, magenta, cyan, white, for the light and the dark theme. */
const LIGHT = ['#24292f', '#cf222e', '#116329', '#7d4e00', '#0550ae', '#8250df', '#1b7c83', '#57606a'];
const DARK = ['#8b949e', '#ff7b72', '#7ee787', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'];

export function drawScreen(screen: Screen, title: string, columns: number): string {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.left);
  const height = screen.lines.length * CELL.height + MARGIN.top + MARGIN.bottom;
  const rows = screen.lines.flatMap((line, row) => runsOf(line).map((run) => drawRun(run, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<desc>${escapeXml(screen.text)}</desc>
<style>
${sheet('#f6f8fa', '#d0d7de', '#24292f', LIGHT)}
@media (prefers-color-scheme: dark) {
${sheet('#161b22', '#30363d', '#e6edf3', DARK)}
}
text { font: 14px ${FONT}; white-space: pre }
.b { font-weight: 700 }
.d { opacity: .65 }
.t { font-size: 13px; text-anchor: middle; opacity: .65 }
</style>
<rect class="w" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10"/>
<g><circle cx="20" cy="20" r="6" fill="#ff5f57"/><circle cx="40" cy="20" r="6" fill="#febc2e"/><circle cx="60" cy="20" r="6" fill="#28c840"/></g>
<text class="t" x="${width / 2}" y="25">${escapeXml(title)}</text>
${rows.join('\n')}
</svg>
`;
}

/** The text of an existing picture. */
export function textIn(svg: string): string {
  const [, text = ''] = /<desc>([\s\S]*?)<\/desc>/.exec(svg) ?? [];
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const sheet = (window: string, border: string, text: string, colors: readonly string[]): string =>
  [
    `.w { fill: ${window}; stroke: ${border} }`,
    `text { fill: ${text} }`,
    ...colors.map((color, at) => `.c${at} { fill: ${color} }`),
  ].join('\n');

interface StyledRun {
  readonly at: number;
  readonly text: string;
  readonly classes: string;
}

/** Joins adjacent cells of the same style. */
function runsOf(line: readonly Cell[]): readonly StyledRun[] {
  const runs: StyledRun[] = [];
  for (const [at, cell] of line.entries()) {
    const classes = [cell.bold && 'b', cell.dim && 'd', cell.color !== undefined && `c${cell.color % 8}`]
      .filter((one) => one !== false)
      .join(' ');
    const last = runs.at(-1);
    if (last?.classes === classes) runs[runs.length - 1] = { ...last, text: last.text + cell.char };
    else runs.push({ at, text: cell.char, classes });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

/** With `textLength`, so that columns align in any font. */
function drawRun({ at, text, classes }: StyledRun, row: number): string {
  const [x, y] = [MARGIN.left + at * CELL.width, MARGIN.top + row * CELL.height];
  const style = classes === '' ? '' : ` class="${classes}"`;
  const length = (Array.from(text).length * CELL.width).toFixed(1);
  return `<text${style} x="${x.toFixed(1)}" y="${y}" textLength="${length}">${escapeXml(text)}</text>`;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
