/**
 * `npm start`: a host in the terminal, with three servers of three sorts. It is `mooring chat` with servers and rules of its own.
 * Without a terminal it is the tour instead: the same, by itself, in every revision. With `--workbench` it is a page.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { modelFrom } from '../../src/cli/chat/model.ts';
import { runChat } from '../../src/cli/chat/run-chat.ts';
import { Printer } from '../../src/cli/printer.ts';
import { processShell } from '../../src/cli/process-shell.ts';
import { canAsk } from '../../src/cli/shell.ts';
import { VERSION } from '../../src/model/names.ts';
import { build } from './build.ts';
import { openHarbour, policy } from './harbour.ts';
import { parrot, sentences } from './parrot.ts';

const shell = processShell();
const print = new Printer(shell, { json: false });
const dim = (text: string): string => print.style('dim', text, 'stderr');

print.note(`${print.style('bold', `Mooring ${VERSION}`, 'stderr')}, the Model Context Protocol in TypeScript`);
const bar = print.progress('Building dist/');
const root = fileURLToPath(new URL('../..', import.meta.url));
const built = await build(root, (report) => bar.update(report)).finally(() => bar.end());
if (built) print.note(dim('Built dist/, which was missing or older than src/'));

if (process.argv.includes('--workbench')) process.exitCode = await showPage();
else if (canAsk(shell)) process.exitCode = await talk();
else {
  print.note(dim('Not running in a terminal, so this is the tour: every feature, in every revision.'));
  shell.signal.addEventListener('abort', () => process.exit(130));
  await import('../tour.ts');
}

async function talk(): Promise<number> {
  print.note(dim('Opens three servers: one in this process, a program of its own, and one on HTTP on this machine.'));
  await using harbour = await openHarbour();
  const model = modelFrom(shell, undefined) ?? parrot;
  return await runChat({ servers: harbour.servers, policy, model, hint: hints(model === parrot) }, { shell, print });
}

/** The same servers in a page. */
async function showPage(): Promise<number> {
  const { runWorkbench } = await import('../../src/cli/workbench/run-workbench.ts');
  await using harbour = await openHarbour();
  const model = modelFrom(shell, undefined) ?? parrot;
  const browser = !process.argv.includes('--no-browser');
  return await runWorkbench(
    {
      servers: harbour.servers,
      host: { apps: true, skills: true, tasks: true, roots: { logbook: [], crane: [], office: [] } },
      ...{ policy, policyName: 'harbour', connect: Object.keys(harbour.servers), confirmed: new Set<string>() },
      ...{ model: { name: model.models[0]?.name ?? '', model }, port: 0, address: '127.0.0.1' },
      ...{ opensBrowser: browser, exits: false },
    },
    { shell, print },
  );
}

function hints(isParrot: boolean): readonly string[] {
  const who = isParrot ? 'a parrot (no model has a key)' : 'your model';
  return [
    '',
    `${print.style('bold', 'Try', 'stderr')}`,
    '  /call office.book ship=Borealis    it asks you for the details',
    '  /call crane.unload containers=100  a progress bar; Ctrl-C cancels',
    '  /call office.evict ship=Royal      a rule denies it; /explain says which',
    `  ${sentences[0].padEnd(33)}  for ${who}; you allow what it does`,
    '  /help                              everything else; /quit to leave',
    '  npm start -- --workbench           the same servers in a page',
    '',
  ];
}
