/** `mooring init`: a new server, ready to be tested and served. */
import { relative } from 'node:path';
import { type CommandContext, command } from '../command.ts';
import { decideInit, initOptions } from '../init/decide.ts';
import { filesOf } from '../init/project-files.ts';
import { writeProject } from '../init/write-project.ts';

export const init = command({
  usage: ['[folder] [options]'],
  about:
    'Makes a new server in TypeScript: a tool, a resource and a prompt, with tests. On a terminal it asks for what is left out. The folder must be empty, or not there yet; all files are written, or none.',
  options: initOptions,
  examples: [
    ['mooring init my-server', 'asks for the rest'],
    ['mooring init my-server --transport http --schema valibot', 'asks for the name alone'],
    ['mooring init --json', 'in this folder, without questions where this is not a terminal'],
  ],
  async run(input, context: CommandContext) {
    const { shell, print } = context;
    const { plan, folder } = await decideInit(input, context);
    const files = filesOf(plan);
    await writeProject(folder, files, shell.signal);
    const way = relative(shell.cwd, folder);
    const enter = way === '' ? '' : `cd ${/^[\w./@-]+$/.test(way) ? way : JSON.stringify(way)} && `;
    const next = [
      `${enter}npm install`,
      'npm test',
      plan.transport === 'http' ? 'npm run dev' : 'npx mooring list ./src/server.ts',
    ];
    print.data({ folder, ...plan, files: [...files.keys()], next });
    print.line(`Made ${print.style('bold', plan.name)} in ${way === '' ? 'this folder' : way}:`);
    for (const path of files.keys()) print.line(`  ${path}`);
    print.line('\nNext:');
    for (const line of next) print.line(`  ${print.style('cyan', line)}`);
    return undefined;
  },
});
