/** All commands, in the order of the help. Each is loaded when it is typed. */
import { isObject } from '../jsonrpc/message.ts';
import type { CliCommand, NamedCommand } from './command.ts';
import { nearestNames } from './suggest.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<NamedCommand>;
}

const entry = (name: string, summary: string, load: () => Promise<object>): CommandEntry => ({
  name,
  summary,
  async load() {
    // Each of these files exports one command.
    const [found] = Object.values(await load()).filter(isCommand);
    if (found === undefined) throw new Error(`there is no command in the file of ${name}`);
    return { ...found, name };
  },
});

const isCommand = (value: unknown): value is CliCommand => isObject(value) && typeof value['run'] === 'function';

export const groups: readonly { readonly title: string; readonly commands: readonly CommandEntry[] }[] = [
  {
    title: 'Build',
    commands: [
      entry('init', 'Make a new server, with tests', () => import('./commands/init.ts')),
      entry('run', 'Serve a module, over standard input and output or HTTP', () => import('./commands/run.ts')),
      entry(
        'dev',
        'Serve a module and go on with its newest code, without losing a client',
        () => import('./commands/dev.ts'),
      ),
    ],
  },
  {
    title: 'Use',
    commands: [
      entry('list', 'Show what a server offers: tools, resources, prompts', () => import('./commands/list.ts')),
      entry('call', 'Call a tool; answer its questions, save what it makes', () => import('./commands/call.ts')),
      entry('read', 'Read a resource, or one of a template', () => import('./commands/read.ts')),
      entry('prompt', 'Fill in a prompt', () => import('./commands/prompt.ts')),
      entry('watch', 'Show what changes at a server, as it happens', () => import('./commands/watch.ts')),
      entry('chat', 'Talk to servers in the terminal, with a model at work', () => import('./commands/chat.ts')),
    ],
  },
  {
    title: 'Arrange',
    commands: [
      entry(
        'servers',
        'List what is configured, where, and whether it can be reached',
        () => import('./commands/servers.ts'),
      ),
      entry('servers add', 'Write a server into a configuration file', () => import('./commands/servers-add.ts')),
      entry(
        'servers remove',
        'Take a server out of a configuration file',
        () => import('./commands/servers-remove.ts'),
      ),
      entry('servers import', 'Copy the servers of another application', () => import('./commands/servers-import.ts')),
      entry(
        'install',
        'Write a server into the configuration of an application',
        () => import('./commands/install.ts'),
      ),
      entry('lock', 'Show what is pinned, and what of it waits for approval', () => import('./commands/lock.ts')),
      entry(
        'lock check',
        'Check whether servers still offer what was approved',
        () => import('./commands/lock-check.ts'),
      ),
      entry('lock approve', 'Agree to what a server offers now', () => import('./commands/lock-approve.ts')),
      entry('policy test', 'Try other rules on what happened', () => import('./commands/policy-test.ts')),
      entry('audit verify', 'Check whether an audit is as it was written', () => import('./commands/audit-verify.ts')),
    ],
  },
  {
    title: 'Understand',
    commands: [
      entry(
        'doctor',
        'Find what is wrong with a server or the way to it, and what to do about it',
        () => import('./commands/doctor.ts'),
      ),
      entry(
        'trace',
        'Show what client and server say to each other, line by line',
        () => import('./commands/trace.ts'),
      ),
      entry('record', 'Write a conversation down for a cassette', () => import('./commands/record.ts')),
      entry('replay', 'Serve a cassette, or hold a live server against it', () => import('./commands/replay.ts')),
      entry('types', 'Write TypeScript declarations for a server', () => import('./commands/types.ts')),
    ],
  },
];

/** Started by this command line itself, and not by users. */
const own: readonly CommandEntry[] = [
  entry('dev-version', 'One version of the module that `mooring dev` serves', () => import('./dev/version-command.ts')),
];

const all: readonly CommandEntry[] = groups.flatMap(({ commands }) => commands);

/** The command that these words begin with; of `audit verify` and `audit`, the longer one. */
export function commandIn(words: readonly string[]): CommandEntry | undefined {
  const [first = '', second = ''] = words;
  const typed = [...all, ...own];
  return typed.find(({ name }) => name === `${first} ${second}`) ?? typed.find(({ name }) => name === first);
}

/** Commands with a similar name: of the same family, or with a typo. */
export function similarTo(word: string): readonly string[] {
  const names = all.map(({ name }) => name);
  const family = names.filter((name) => name.startsWith(`${word} `));
  return family.length > 0 ? family : nearestNames(word, names);
}
