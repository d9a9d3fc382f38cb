/** The rules that a module exports. */
import { existsSync } from 'node:fs';
import type { Rule } from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { badArgument } from '../arguments.ts';
import { importModule } from '../module/import-module.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';

const ADVICE = 'export one array of rules, such as `export const policy = [rules.allow({ effects: "read" })]`';

/** The export `policy`, or else the only array of rules. */
export async function loadPolicy(module: string, shell: Shell): Promise<readonly Rule[]> {
  const file = pathFrom(shell, module);
  if (!existsSync(file)) throw badArgument(module, `there is no such file (${file})`);
  const exported = new Map(Object.entries(await importModule({ argument: module, file }, shell)));
  const named = exported.get('policy');
  if (named !== undefined && !isPolicy(named))
    throw badArgument(module, `its export "policy" is no array of rules; ${ADVICE}`);
  if (isPolicy(named)) return named;
  const found = [...exported].filter((entry): entry is [string, readonly Rule[]] => isPolicy(entry[1]));
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const what = only === undefined ? 'no array of rules' : `several: ${found.map(([name]) => name).join(', ')}`;
    throw badArgument(module, `it exports ${what}; ${ADVICE}`);
  }
  return only[1];
}

const isPolicy = (value: unknown): value is readonly Rule[] => Array.isArray(value) && value.every(isRule);

const isRule = (value: unknown): value is Rule =>
  isObject(value) && typeof value['text'] === 'string' && typeof value['decide'] === 'function';
