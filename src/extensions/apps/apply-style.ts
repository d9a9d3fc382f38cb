/** Applies the host's theme, CSS variables and fonts to the document of a view. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';

/** CSS can use the theme as `[data-theme=dark]`, and with `light-dark()`. */
export function applyStyle({ theme, styles }: JsonObject): void {
  const root = document.documentElement;
  if (theme === 'light' || theme === 'dark') {
    root.dataset['theme'] = theme;
    root.style.colorScheme = theme;
  }
  if (!isObject(styles)) return;
  const { variables, css } = styles;
  for (const [name, value] of Object.entries(isObject(variables) ? variables : {}))
    if (name.startsWith('--')) root.style.setProperty(name, typeof value === 'string' ? value : null);
  if (isObject(css) && typeof css['fonts'] === 'string') applyFonts(css['fonts']);
}

function applyFonts(text: string): void {
  const id = 'mcp-host-fonts';
  const element = document.getElementById(id) ?? document.head.appendChild(document.createElement('style'));
  element.id = id;
  element.textContent = text;
}
