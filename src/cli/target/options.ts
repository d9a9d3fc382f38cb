/** Options of all commands with a target. */
import { type CommandInput, flag, type Options, repeatable, withValue } from '../command.ts';

const gateOptions = {
  policy: withValue('module', 'Apply the rules that this module exports (default: MOORING_POLICY)'),
  audit: withValue(
    'file',
    'Write every action to this audit log, keyed with MOORING_AUDIT_KEY (default: MOORING_AUDIT)',
  ),
} as const satisfies Options;

export const targetOptions = {
  config: repeatable('file', 'Look for configured servers in this file only'),
  header: repeatable('name: value', 'Send an HTTP header'),
  env: repeatable('NAME=value', 'Set an environment variable of the command'),
  cwd: withValue('folder', 'Run the command in this folder'),
  export: withValue('name', 'Use this export of the module'),
  revision: withValue('date', 'Use only this protocol revision'),
  timeout: withValue('seconds', 'Give up after this time without a response (default: 60)'),
  yes: flag('Start configured commands without asking', 'y'),
  ...gateOptions,
  verbose: flag("Show the server's standard error, log messages and warnings"),
} as const satisfies Options;

export type TargetInput = CommandInput<typeof targetOptions>;
/** For code that already has the target. */
export type TargetContext = Pick<TargetInput, 'values' | 'shell' | 'print'>;
