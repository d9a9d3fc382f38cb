/** Policy, audit log and stored approvals, for every command that connects to a server. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type ApprovalStore,
  type AuditKey,
  fileApprovals,
  type NdjsonAudit,
  ndjsonAudit,
  type Rule,
  rules,
} from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { badArgument } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { importModule } from '../module/import-module.ts';
import { existingFile, pathFrom, stateFolder } from '../paths.ts';
import type { Shell } from '../shell.ts';
import type { CommandTarget } from '../target/target.ts';

export interface GateContext extends CommandContext {
  readonly values: { readonly policy?: string; readonly audit?: string; readonly yes?: boolean };
}

export interface GateSettings {
  readonly policy: readonly Rule[];
  readonly approvals?: Required<ApprovalStore>;
  readonly audit?: NdjsonAudit;
}

/** Rules that a command adds. The user's rules come before all of them. */
export interface GateDefaults {
  /** By label. */
  readonly targets: ReadonlyMap<string, CommandTarget>;
  readonly allowed?: readonly Rule[];
  /** Rules that open servers without a question. */
  readonly opened?: readonly Rule[];
}

export async function gateSettings(
  by: GateContext,
  { targets, allowed = [], opened = [] }: GateDefaults,
): Promise<GateSettings> {
  const { shell, values } = by;
  const asksToOpen = values.yes !== true && [...targets.values()].some(({ source }) => source.from !== undefined);
  const policy = values.policy ?? shell.env['MOORING_POLICY'] ?? '';
  const own = policy === '' ? [] : await loadPolicy(policy, shell);
  const audit = auditLog(values.audit, shell);
  // Fails now, before a server is started, if the file cannot be written.
  await audit?.checkpoint();
  return {
    policy: [...own, ...opened, ...openingRules(targets, values.yes === true), ...allowed],
    // Without a question, nothing is stored in the user's home folder.
    ...(asksToOpen ? { approvals: fileApprovals(join(stateFolder(shell), 'approvals')) } : {}),
    ...(audit === undefined ? {} : { audit }),
  };
}

const opening = ['spawn', 'connect'] as const;
/** The default for configured servers: ask before opening. */
export const askToOpen: Rule = rules.ask({ kind: opening });

/** Typed targets are allowed. Servers of configuration files, which can come from others (a cloned repository), need consent. */
function openingRules(targets: ReadonlyMap<string, CommandTarget>, yes: boolean): readonly Rule[] {
  const typed = [...targets].flatMap(([label, { source }]) => (yes || source.from === undefined ? [label] : []));
  return [...(typed.length === 0 ? [] : [rules.allow({ kind: opening, server: typed })]), askToOpen];
}

function auditLog(named: string | undefined, shell: Shell): NdjsonAudit | undefined {
  const file = named ?? shell.env['MOORING_AUDIT'] ?? '';
  if (file === '') return undefined;
  const path = pathFrom(shell, file);
  const folder = dirname(path);
  if (!existsSync(folder))
    throw badArgument(named === undefined ? 'MOORING_AUDIT' : `--audit ${file}`, `folder not found (${folder})`);
  return ndjsonAudit(path, { key: auditKey(shell) });
}

/** Read from the environment only: arguments are visible to other users in the process list. */
export function auditKey({ env }: Shell): AuditKey | undefined {
  const key = env['MOORING_AUDIT_KEY'];
  return key === undefined || key === '' ? undefined : key;
}

const ADVICE = 'export one array of rules, such as `export const policy = [rules.allow({ effects: "read" })]`';

/** The rules that a module exports: the export `policy`, or else the only array of rules. */
export async function loadPolicy(module: string, shell: Shell): Promise<readonly Rule[]> {
  const file = existingFile(shell, module);
  const exported = new Map(Object.entries(await importModule({ argument: module, file }, shell)));
  const named = exported.get('policy');
  if (named !== undefined && !isPolicy(named))
    throw badArgument(module, `the export "policy" is not an array of rules; ${ADVICE}`);
  if (isPolicy(named)) return named;
  const found = [...exported].filter((entry): entry is [string, readonly Rule[]] => isPolicy(entry[1]));
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const what =
      only === undefined ? 'no array of rules' : `several arrays of rules: ${found.map(([name]) => name).join(', ')}`;
    throw badArgument(module, `the module exports ${what}; ${ADVICE}`);
  }
  return only[1];
}

const isPolicy = (value: unknown): value is readonly Rule[] => Array.isArray(value) && value.every(isRule);

const isRule = (value: unknown): value is Rule =>
  isObject(value) && typeof value['text'] === 'string' && typeof value['decide'] === 'function';
