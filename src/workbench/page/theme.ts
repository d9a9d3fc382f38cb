/** The theme: dark, light or that of the system. The choice is all that the page keeps in localStorage. */
import { signal } from '@preact/signals';

export type PageTheme = 'system' | 'light' | 'dark';
const KEY = 'mooring-workbench-theme';

const theme = signal<PageTheme>('system');

export function setTheme(next: PageTheme): void {
  theme.value = next;
  if (next === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
  localStorage.setItem(KEY, next);
}

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

/** Called before the first paint. */
export function restoreTheme(): void {
  const stored = localStorage.getItem(KEY);
  if (stored === 'light' || stored === 'dark') setTheme(stored);
}
