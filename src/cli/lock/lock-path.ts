/** The lock file that a command is about. */
import type { Option } from '../command.ts';
import type { Shell } from '../shell.ts';
import { pathFrom } from '../target/target.ts';

export const lockOption = {
  type: 'string',
  value: 'file',
  about: 'Use this lock file (default: mcp.lock)',
} as const satisfies Option;

export const lockPath = (file: string | undefined, shell: Shell): string => pathFrom(shell, file ?? 'mcp.lock');
