/** Options of a host that no compiler has checked. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { HostOptions } from './host.ts';

const hostOptionNames: OptionNames<HostOptions> = {
  servers: true,
  policy: true,
  consent: true,
  approvals: true,
  audit: true,
  lockfile: true,
  model: true,
  sampling: true,
  questions: true,
  roots: true,
  tasks: true,
  tickets: true,
  apps: true,
  skills: true,
  secrets: true,
  inputs: true,
  auth: true,
  sandbox: true,
  health: true,
  idleMs: true,
  timeouts: true,
  revisions: true,
  environment: true,
  name: true,
  version: true,
  onWarning: true,
  layers: true,
  clock: true,
  random: true,
};

/** Throws for names and values that the compiler would report. */
export function checkHostOptions(options: HostOptions): void {
  checkOptions('createHost({ servers })', options, hostOptionNames);
  const { servers, policy = [] }: { readonly servers: unknown; readonly policy?: unknown } = options;
  if (!isObject(servers) || 'open' in servers) {
    const why = `it must be an object of servers by label, such as { shop }, not ${valueKind(servers)}`;
    throw badDefinition('The option "servers"', why);
  }
  if (!Array.isArray(policy) || !policy.every((rule) => isObject(rule) && typeof rule['decide'] === 'function')) {
    const why = 'it must be a list of rules, such as [rules.allow({ server: "shop" })]';
    throw badDefinition('The option "policy"', why);
  }
}
