/** The model of a workbench: a script in a file, or a provider that is named. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { WorkbenchOptions } from '../../workbench/workbench-core.ts';
import { modelFrom } from '../chat/model.ts';
import type { Shell } from '../shell.ts';
import { pathFrom } from '../target/target.ts';

/** Undefined where the user speaks for the model. */
export async function workbenchModel(wanted: string | undefined, shell: Shell): Promise<WorkbenchOptions['model']> {
  const file = wanted === undefined ? '' : pathFrom(shell, wanted);
  if (wanted !== undefined && existsSync(file)) return { name: 'scripted', script: await readFile(file, 'utf8') };
  const model = modelFrom(shell, wanted);
  return model === undefined ? undefined : { name: wanted ?? shell.env['MOORING_MODEL'] ?? '', model };
}
