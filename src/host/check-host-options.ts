/** Validates the options of hosts, sessions and runs, for callers without TypeScript. */
import { badDefinition, type McpError } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { RunOptions } from './agent/run.ts';
import { checkRunInput } from './agent/run-input.ts';
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

/** Throws for unknown options: with a misspelled `principal`, the session would act as the empty principal. */
export const checkSessionOptions = (options: SessionOptions): void =>
  checkOptions('host.session({ principal })', options, sessionOptionNames);

/** Throws for option names and values that the compiler would reject. */
export function checkHostOptions(options: HostOptions): void {
  checkOptions('createHost({ servers })', options, hostOptionNames);
  const { servers, policy = [], consent, audit, model }: { readonly [K in keyof HostOptions]?: unknown } = options;
  if (!isObject(servers) || hasFunction(servers, 'open'))
    throw badOption('servers', `an object of servers by label, such as { shop }, not ${valueKind(servers)}`);
  if (!Array.isArray(policy) || !policy.every((rule) => hasFunction(rule, 'decide')))
    throw badOption('policy', 'a list of rules, such as [rules.allow({ server: "shop" })]');
  if (consent !== undefined && typeof consent !== 'function' && !hasFunction(consent, 'ask'))
    throw badOption('consent', `a function that returns { allow }, or terminalConsent(), not ${valueKind(consent)}`);
  if (audit !== undefined && !hasFunction(audit, 'write'))
    throw badOption('audit', `an audit, such as ndjsonAudit('audit.ndjson'), not ${valueKind(audit)}`);
  if (model !== undefined && !hasFunction(model, 'reply'))
    throw badOption('model', `a model, such as anthropic({ apiKey, model }), not ${valueKind(model)}`);
}

const runOptionNames: OptionNames<RunOptions> = {
  ...{ signal: true, model: true, system: true, maxTurns: true, maxCalls: true, maxTokens: true, replyTokens: true },
  timeoutMs: true,
};

/** Throws for wrong input, and for unknown options: a run would ignore a misspelled limit. */
export function checkRun(input: unknown, options: RunOptions): void {
  checkRunInput(input);
  checkOptions('session.run(input, options)', options, runOptionNames);
}

const badOption = (name: keyof HostOptions, wanted: string): McpError =>
  badDefinition(`The option "${name}"`, `it must be ${wanted}`);
