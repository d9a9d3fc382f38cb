/** What the doctor finds about a server that the user agreed to open before: nothing is asked or printed. */
import { PassThrough } from 'node:stream';
import type { ServerSource } from '../../host/index.ts';
import type { DoctorRow } from '../../workbench/protocol-rows.ts';
import type { CommandContext } from '../command.ts';
import { Examination } from '../doctor/examination.ts';

export async function examineForPage(
  label: string,
  source: ServerSource,
  by: CommandContext,
): Promise<readonly DoctorRow[]> {
  if (typeof source !== 'object' || !('command' in source || 'url' in source)) return [];
  const values = { yes: true } as const;
  // Without a terminal, a sign-in that is stored is used, and none is begun.
  const shell = { ...by.shell, stdin: Object.assign(new PassThrough(), { isTTY: false }) };
  const { fetch: _, ...untapped } = { fetch: undefined, ...source };
  const examination = new Examination({ ...by, shell, values, words: [], after: undefined }, () => undefined);
  const findings = await examination.examineTarget({ label, name: label, source: untapped as typeof source }); // the same, without the tap
  return findings.map(({ check, holds, found: text, fix, fault, isSkipped }) => ({
    check,
    state: isSkipped === true ? 'skipped' : holds ? 'passed' : 'failed',
    ...{ found: text, fix, fault },
  }));
}
