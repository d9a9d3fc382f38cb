/** Where this command line keeps what it remembers: approvals, credentials. */
import { posix, win32 } from 'node:path';
import type { Shell } from './shell.ts';

export function stateFolder({ home, platform, env }: Pick<Shell, 'home' | 'platform' | 'env'>): string {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'mooring');
  if (platform === 'win32') return win32.join(env['LOCALAPPDATA'] ?? win32.join(home, 'AppData', 'Local'), 'mooring');
  return posix.join(env['XDG_STATE_HOME'] ?? posix.join(home, '.local', 'state'), 'mooring');
}
