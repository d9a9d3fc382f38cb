/** Options of a host that no compiler has checked. */
import { badDefinition, type McpError } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { HostOptions } from './host.ts';
import type { SessionOptions } from './session.ts';

const hostOptionNames: OptionNames<HostOptions> = {
  ...{ servers: true, policy: true, consent: true, approvals: true, audit: true, lockfile: true, model: true },
  ...{ sampling: true, questions: true, roots: true, tasks: true, tickets: true, apps: true, skills: true },
  ...{ secrets: true, inputs: true, auth: true, sandbox: true, health: true, idleMs: true, timeouts: true },
  ...{ revisions: true, environment: true, name: true, version: true, onWarning: true, layers: true, clock: true },
  ...{ random: true },
};

const hasFunction = (value: unknown, name: string): boolean => isObject(value) && typeof value[name] === 'function';

const sessionOptionNames: OptionNames<SessionOptions> = { principal: true, toolTokens: true };

/** Throws for names that do not exist: acts would have another principal than the one that was meant. */
export const checkSessionOptions = (options: SessionOptions): void =>
  checkOptions('host.session({ principal })', options, sessionOptionNames);

/** Throws for names and values that the compiler would report. */
export function checkHostOptions(options: HostOptions): void {
  checkOptions('createHost({ servers })', options, hostOptionNames);
  const { servers, policy = [], consent, audit }: { readonly [K in keyof HostOptions]?: unknown } = options;
  if (!isObject(servers) || hasFunction(servers, 'open'))
    throw badOption('servers', `an object of servers by label, such as { shop }, not ${valueKind(servers)}`);
  if (!Array.isArray(policy) || !policy.every((rule) => hasFunction(rule, 'decide')))
    throw badOption('policy', 'a list of rules, such as [rules.allow({ server: "shop" })]');
  if (consent !== undefined && typeof consent !== 'function' && !hasFunction(consent, 'ask'))
    throw badOption('consent', `a function that returns { allow }, or terminalConsent(), not ${valueKind(consent)}`);
  if (audit !== undefined && !hasFunction(audit, 'write'))
    throw badOption('audit', `an audit, such as ndjsonAudit('audit.ndjson'), not ${valueKind(audit)}`);
}

const badOption = (name: keyof HostOptions, wanted: string): McpError =>
  badDefinition(`The option "${name}"`, `it must be ${wanted}`);
