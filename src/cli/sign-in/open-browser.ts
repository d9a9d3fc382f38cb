/** Opens a page in the user's browser, where there is one. The URL is one argument of a program, and no shell reads it. */
import { spawn } from 'node:child_process';
import type { Shell } from '../shell.ts';

const programs: ReadonlyMap<string, readonly string[]> = new Map([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);

/** False where there is no browser to open: on a remote machine, or without a desktop. */
export function openBrowser(url: URL, { env, platform }: Pick<Shell, 'env' | 'platform'>): Promise<boolean> {
  const [program, ...args] = browserProgram(env, platform);
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url.href], { env, detached: true, stdio: 'ignore', windowsHide: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** `BROWSER` is what Unix programs agreed on. */
function browserProgram(env: Shell['env'], platform: string): readonly string[] {
  const { BROWSER: named = '', DISPLAY = '', WAYLAND_DISPLAY = '' } = env;
  if (named !== '') return [named];
  return programs.get(platform) ?? (DISPLAY === '' && WAYLAND_DISPLAY === '' ? [] : ['xdg-open']);
}
