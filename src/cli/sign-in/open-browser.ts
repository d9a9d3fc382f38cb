/** Opens a URL in the user's browser, without a shell, so that the URL cannot inject commands. */
import { spawn } from 'node:child_process';
import type { Shell } from '../shell.ts';

const programs: ReadonlyMap<string, readonly string[]> = new Map([
  ['darwin', ['open']],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler']],
]);

/** False if there is no browser: on a remote machine, or without a desktop. */
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

/** The variable BROWSER overrides the platform's program, by Unix convention. */
function browserProgram(env: Shell['env'], platform: string): readonly string[] {
  const { BROWSER: named = '', DISPLAY = '', WAYLAND_DISPLAY = '' } = env;
  if (named !== '') return [named];
  return programs.get(platform) ?? (DISPLAY === '' && WAYLAND_DISPLAY === '' ? [] : ['xdg-open']);
}
