/** Builds the environment of a child process: an allowlist of harmless variables, plus those configured for it. */
import process from 'node:process';

/** Variables that a child inherits. Any other can hold a secret. */
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
 * Configured variables override inherited ones; on Windows, names are case-insensitive. Throws for an invalid name: the name
 * `NODE_OPTIONS=--require=x` would set NODE_OPTIONS, and evade checks for variables that load code.
 */
export function childEnv(named: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const wrong = Object.keys(named).find((name) => name === '' || name.includes('=') || name.includes('\0'));
  if (wrong !== undefined) {
    // Cuts the name at "=": the rest can be a secret that was meant as the value.
    const shown = wrong.replace(/[=\0].*/s, '');
    throw new Error(`an environment variable cannot have a name that begins with ${JSON.stringify(shown)}; correct it`);
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
