/** What a child process is told about its surroundings: what programs need to run, and what was named for it. */
import process from 'node:process';

/** Anything else may hold a secret that is none of the child's business. */
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

/** On Windows names differ in case only by accident; what was named for the child wins, however it is spelled. */
export function childEnv(named: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const windows = process.platform === 'win32';
  const same = (name: string): string => (windows ? name.toUpperCase() : name);
  const allowed = windows ? WINDOWS : POSIX;
  const taken = new Set(Object.keys(named).map(same));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !taken.has(same(name)) && (allowed.includes(same(name)) || (!windows && name.startsWith('LC_'))),
  );
  return Object.fromEntries([...inherited, ...Object.entries(named)]);
}
