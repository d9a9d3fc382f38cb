/** `mooring init`: creates a server project. */
import { relative } from 'node:path';
import { command } from '../command.ts';
import { decideInit, initOptions } from '../init/decide.ts';
import { filesOf } from '../init/project-files.ts';
import { writeProject } from '../init/write-project.ts';

export const init = command('init', {
  usage: ['[<folder>] [options]'],
  about: `Create a new server project in TypeScript, with tests.

The project has a tool, a resource and a prompt. In a terminal, init asks for what you leave out. The folder must be empty or new; init writes all files or none.`,
  options: initOptions,
  examples: [
    ['mooring init my-server'],
    ['mooring init my-server --transport http --schema valibot'],
    ['mooring init --json', 'in this folder; in scripts, without questions'],
  ],
  async run(input) {
    const { shell, print } = input;
    const { plan, folder } = await decideInit(input);
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
    const place = way === '' ? 'this folder' : `${way}/`;
    print.line(way === plan.name ? `Created ${place}:` : `Created ${print.style('bold', plan.name)} in ${place}:`);
    for (const path of files.keys()) print.line(`  ${path}`);
    print.line('\nNext:');
    for (const line of next) print.line(`  ${print.style('cyan', line)}`);
  },
});
