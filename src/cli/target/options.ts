/** The options of every command that has a target. */
import type { CommandContext, Input, Options } from '../command.ts';

/** The same for every command that talks to a server: the gate that it goes through. */
const gateOptions = {
  policy: {
    type: 'string',
    value: 'module',
    about: 'Apply the rules that this module exports (default: MOORING_POLICY)',
  },
  audit: {
    type: 'string',
    value: 'file',
    about: 'Write every action to this audit log, keyed with MOORING_AUDIT_KEY (default: MOORING_AUDIT)',
  },
} as const satisfies Options;

export const targetOptions = {
  config: {
    type: 'string',
    multiple: true,
    value: 'file',
    about: 'Look for configured servers in this file only (repeatable)',
  },
  header: {
    type: 'string',
    multiple: true,
    value: 'name: value',
    about: 'Send an HTTP header (repeatable)',
  },
  env: {
    type: 'string',
    multiple: true,
    value: 'NAME=value',
    about: 'Set an environment variable of the command (repeatable)',
  },
  cwd: { type: 'string', value: 'folder', about: 'Run the command in this folder' },
  export: { type: 'string', value: 'name', about: 'Use this export of the module' },
  revision: { type: 'string', value: 'date', about: 'Use only this protocol revision' },
  timeout: { type: 'string', value: 'seconds', about: 'Give up after this time without a response (default: 60)' },
  yes: { type: 'boolean', short: 'y', about: 'Start configured commands without asking' },
  ...gateOptions,
  verbose: { type: 'boolean', about: "Show the server's standard error, log messages and warnings" },
} as const satisfies Options;

export type TargetInput = Input<typeof targetOptions>;

export interface TargetContext extends CommandContext {
  readonly values: TargetInput['values'];
}
