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

/** On Windows the case of a name does not matter; what was named for the child wins, however it is spelled. */
export function childEnv(named: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
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
