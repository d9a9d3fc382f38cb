/** The options of every command that has a target. */
import type { CommandContext, Input, Options } from '../command.ts';

/** The same for every command that talks to a server: the gate that it goes through. */
const gateOptions = {
  policy: {
    type: 'string',
    value: 'module',
    about: 'Rules that decide what is allowed, asked about or denied: a module that exports some, or MOORING_POLICY',
  },
  audit: {
    type: 'string',
    value: 'file',
    about:
      'Write everything that is done to this audit log, or MOORING_AUDIT; keyed with MOORING_AUDIT_KEY; `mooring audit verify` checks it',
  },
} as const satisfies Options;

export const targetOptions = {
  config: {
    type: 'string',
    multiple: true,
    value: 'file',
    about: 'Look for named servers in this file only; may be repeated',
  },
  header: {
    type: 'string',
    multiple: true,
    value: 'name: value',
    about: 'Send this header to an address; may be repeated',
  },
  env: { type: 'string', multiple: true, value: 'NAME=value', about: 'Give a command this variable; may be repeated' },
  cwd: { type: 'string', value: 'folder', about: 'Start a command in this folder' },
  export: { type: 'string', value: 'name', about: 'Take the server that a module exports under this name' },
  revision: { type: 'string', value: 'date', about: 'Speak this revision of the protocol and no other' },
  timeout: { type: 'string', value: 'seconds', about: 'Wait this long for an answer (60)' },
  yes: { type: 'boolean', short: 'y', about: 'Start commands of configuration files without asking' },
  ...gateOptions,
  verbose: { type: 'boolean', about: "Show the server's standard error, its log and warnings" },
} as const satisfies Options;

export type TargetInput = Input<typeof targetOptions>;

export interface TargetContext extends CommandContext {
  readonly values: TargetInput['values'];
}
