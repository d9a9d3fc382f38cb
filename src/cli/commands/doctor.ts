/** `mooring doctor`: what is wrong with a server, or with the way to it. */
import { printable } from '../../model/printable.ts';
import { type CommandContext, command } from '../command.ts';
import { Examination } from '../doctor/examination.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Printer, sanitize } from '../printer.ts';
import { targetOptions } from '../target/options.ts';

export const doctor = command({
  usage: ['<target>', '[options] -- <command> [argument …]'],
  about:
    'Examines a server and the way to it: the configuration, the command or the address, certificates, the transport, authorization, the revision, sessions and streams, lists and schemas. Each fault is named with what to do about it. It stops where going on makes no sense. Tools that say they only read, need no arguments and promise a shape of their result are called once; nothing else is. Ends with 0 if all holds, and with 1 if something does not.',
  options: targetOptions,
  examples: [
    ['mooring doctor https://example.com/mcp', 'a server at an address'],
    ['mooring doctor -- npx -y some-server', 'a command, before it goes into a configuration'],
    ['mooring doctor shop --json', 'a configured server, for programs'],
  ],
  async run(input, { shell, print }: CommandContext) {
    const bar = print.progress('Examining');
    let done = 0;
    const tell = (finding: DoctorFinding): void => {
      bar.end();
      show(finding, print);
      bar.update({ progress: ++done, message: finding.check });
    };
    const findings = await new Examination(input, { values: input.values, shell, print }, tell)
      .examine()
      .finally(() => bar.end());
    const faults = findings.filter(({ holds }) => !holds).length;
    print.data({ ok: faults === 0, findings });
    print.line(faults === 0 ? '\nAll checks passed.' : `\n${faults} ${faults === 1 ? 'problem' : 'problems'} found.`);
    return faults === 0 ? exitCodes.done : exitCodes.no;
  },
});

const WIDTH = 15;

function show({ check, holds, found, fault, fix }: DoctorFinding, print: Printer): void {
  const mark = holds ? print.style('green', '✓') : print.style('red', '✗');
  const named = fault === undefined ? '' : ` ${print.style('dim', `(${fault})`)}`;
  print.line(`${mark} ${check.padEnd(WIDTH)}${sanitize(found).replaceAll('\n', `\n${' '.repeat(WIDTH + 2)}`)}${named}`);
  if (fix !== undefined) print.line(`${' '.repeat(WIDTH + 2)}${print.style('bold', 'Fix:')} ${printable(fix)}`);
}
