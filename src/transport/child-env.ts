/** The environment of a child process: what programs need to run, and what was named for it. */
import process from 'node:process';

/** Any other variable can hold a secret. */
const POSIX: readonly string[] = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'TMPDIR'];
const WINDOWS: readonly string[] = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * On Windows the case of a name does not matter; what was named for the child wins, however it is spelled. Throws for a name that would
 * reach the child as another one: `NODE_OPTIONS=--require=x` looks like no variable that loads code.
 */
export function childEnv(named: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const wrong = Object.keys(named).find((name) => name === '' || name.includes('=') || name.includes('\0'));
  if (wrong !== undefined) {
    // What follows can be a secret that was meant as its value.
    const shown = wrong.replace(/[=\0].*/s, '');
    throw new Error(`what begins with ${JSON.stringify(shown)} is no name of an environment variable; correct it`);
  }
  const windows = process.platform === 'win32';
  const normalize = (name: string): string => (windows ? name.toUpperCase() : name);
  const allowed = windows ? WINDOWS : POSIX;
  const taken = new Set(Object.keys(named).map(normalize));
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !taken.has(normalize(name)) && (allowed.includes(normalize(name)) || (!windows && name.startsWith('LC_'))),
  );
  return Object.fromEntries([...inherited, ...Object.entries(named)]);
}
