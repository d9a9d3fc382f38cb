/** `mooring doctor`: checks a server and the connection to it, and prints findings with fixes. */
import { printable, printableLines } from '../../model/printable.ts';
import { wrapLine } from '../../terminal/wrap-line.ts';
import { type CommandContext, command } from '../command.ts';
import { Examination } from '../doctor/examination.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import { exitCodes } from '../exit-codes.ts';
import { countOf } from '../printer.ts';
import { targetOptions } from '../target/options.ts';

export const doctor = command('doctor', {
  usage: ['<target> [options]', '[options] -- <command> [argument …]'],
  about: `Check a server and the connection to it, and suggest fixes.

The checks run in this order: configuration, command or URL, DNS, TLS certificate, transport, authorization, protocol revision, sessions, streams, lists, schemas, results, stray output. The first check that the others depend on ends the run.

Doctor calls a tool only if it is marked read-only, needs no arguments and has an output schema.`,
  exits: [
    [0, 'all checks passed'],
    [1, 'at least one problem found'],
  ],
  options: targetOptions,
  examples: [
    ['mooring doctor https://example.com/mcp'],
    ['mooring doctor shop --json'],
    ['mooring doctor -- npx -y some-server', 'before you add it to an application'],
  ],
  async run(input) {
    const { shell, print } = input;
    const bar = print.progress('Checking');
    const report = (finding: DoctorFinding): void => {
      bar.end();
      printFinding(finding, { shell, print });
      bar.begin();
    };
    bar.begin();
    const findings = await new Examination(input, report).examine().finally(() => bar.end());
    const faults = findings.filter(({ holds }) => !holds).length;
    print.data({ ok: faults === 0, findings: findings.map(({ isSkipped: _, ...finding }) => finding) });
    print.line(faults === 0 ? '\nAll checks passed.' : `\n${countOf(faults, 'problem')} found.`);
    return faults === 0 ? exitCodes.done : exitCodes.no;
  },
});

const CHECK_WIDTH = 15;
/** Below this width, a finding is printed under the name of its check. */
const NARROW = 60;

function printFinding(
  { check, holds, found, fault, fix, isSkipped }: DoctorFinding,
  { shell, print }: CommandContext,
): void {
  const { isTTY, columns: given = 0 } = shell.stdout;
  const columns = isTTY === true ? given : 0;
  const passed = isSkipped ? print.style('dim', '–') : print.style('green', '✓');
  const mark = holds ? passed : print.style('red', '✗');
  const named = fault === undefined ? '' : ` ${print.style('dim', `(${fault})`)}`;
  const isNarrow = columns > 0 && columns < NARROW;
  const margin = ' '.repeat(isNarrow ? 4 : CHECK_WIDTH + 2);
  const lines = `${printableLines(found)}${named}`.split('\n');
  if (fix !== undefined) lines.push(`${print.style('bold', 'Fix:')} ${printable(fix)}`);
  const [first = '', ...rest] = lines.flatMap((line) => wrapLine(margin + line, columns));
  const heads = isNarrow
    ? [`${mark} ${check}`, first]
    : [`${mark} ${check.padEnd(CHECK_WIDTH)}${first.slice(margin.length)}`];
  print.line([...heads, ...rest].join('\n'));
}
