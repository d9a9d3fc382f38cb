/** `/servers` and `/log`: the state of the servers, and their logs. */
import { suggest } from '../../../model/suggest.ts';
import { badArgument, rejectExtra } from '../../arguments.ts';
import { wrap } from '../../columns.ts';
import { serverText } from '../catalogue-text.ts';
import type { SlashCommand } from '../chat.ts';

/** About one screen. */
const LINES = 40;

export const serversSlash: SlashCommand = {
  name: 'servers',
  usage: '',
  about: 'List the servers and their state',
  async run(words, { host, screen, shell }) {
    rejectExtra(words);
    const { print } = screen;
    const all = [...host.servers.values()];
    const texts = await Promise.all(all.map(serverText));
    const rows = all.map(({ label, state, address, failure }, at) => ({
      ...{ server: label, state, address, about: texts[at] ?? '' },
      ...(failure === undefined ? {} : { failure: failure.message }),
    }));
    const width = Math.max(...rows.map(({ server }) => server.length));
    const room = (shell.stdout.columns || 100) - width - 4;
    screen.result(
      { type: 'servers', servers: rows },
      rows.flatMap(({ server, state, about }) => {
        const mark = print.style(state === 'ready' ? 'green' : 'red', state === 'ready' ? '●' : '○');
        const [first = '', ...more] = about.split('\n').flatMap((line) => wrap(line, room));
        return [`${mark} ${server.padEnd(width)}  ${first}`, ...more.map((line) => ' '.repeat(width + 4) + line)];
      }),
    );
  },
};

export const logSlash: SlashCommand = {
  name: 'log',
  usage: '<server>',
  about: `Show the last ${LINES} lines of a server's log`,
  completes: 'servers',
  async run([label = '', ...more], { host, screen }) {
    rejectExtra(more);
    const server = host.servers.get(label);
    if (server === undefined)
      throw badArgument(`/log ${label}`.trim(), `unknown server; ${suggest(label, [...host.servers.keys()])}`);
    const lines = server.log.slice(-LINES);
    const shown = lines.length === 0 ? [`The log of ${label} is empty.`] : lines;
    screen.result({ type: 'log', server: label, lines }, shown);
  },
};
