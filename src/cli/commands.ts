/** All commands, in the order of the help. Each is loaded when it is typed. */
import type { CliCommand } from './command.ts';
import { nearestNames } from './suggest.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CliCommand>;
}

export const groups: readonly { readonly title: string; readonly commands: readonly CommandEntry[] }[] = [
  {
    title: 'Build',
    commands: [
      {
        name: 'init',
        summary: 'Make a new server, with tests',
        load: async () => (await import('./commands/init.ts')).init,
      },
      {
        name: 'run',
        summary: 'Serve a module, over standard input and output or HTTP',
        load: async () => (await import('./commands/run.ts')).run,
      },
      {
        name: 'dev',
        summary: 'Serve a module and go on with its newest code, without losing a client',
        load: async () => (await import('./commands/dev.ts')).dev,
      },
    ],
  },
  {
    title: 'Use',
    commands: [
      {
        name: 'list',
        summary: 'Show what a server offers: tools, resources, prompts',
        load: async () => (await import('./commands/list.ts')).list,
      },
      {
        name: 'call',
        summary: 'Call a tool; answer its questions, save what it makes',
        load: async () => (await import('./commands/call.ts')).callCommand,
      },
      {
        name: 'read',
        summary: 'Read a resource, or one of a template',
        load: async () => (await import('./commands/read.ts')).readCommand,
      },
      {
        name: 'prompt',
        summary: 'Fill in a prompt',
        load: async () => (await import('./commands/prompt.ts')).promptCommand,
      },
      {
        name: 'watch',
        summary: 'Show what changes at a server, as it happens',
        load: async () => (await import('./commands/watch.ts')).watch,
      },
      {
        name: 'chat',
        summary: 'Talk to servers in the terminal, with a model at work',
        load: async () => (await import('./commands/chat.ts')).chat,
      },
    ],
  },
  {
    title: 'Arrange',
    commands: [
      {
        name: 'servers',
        summary: 'List what is configured, where, and whether it can be reached',
        load: async () => (await import('./commands/servers.ts')).serversCommand,
      },
      {
        name: 'servers add',
        summary: 'Write a server into a configuration file',
        load: async () => (await import('./commands/servers-add.ts')).serversAdd,
      },
      {
        name: 'servers remove',
        summary: 'Take a server out of a configuration file',
        load: async () => (await import('./commands/servers-remove.ts')).serversRemove,
      },
      {
        name: 'servers import',
        summary: 'Copy the servers of another application',
        load: async () => (await import('./commands/servers-import.ts')).serversImport,
      },
      {
        name: 'install',
        summary: 'Write a server into the configuration of an application',
        load: async () => (await import('./commands/install.ts')).install,
      },
      {
        name: 'lock',
        summary: 'Show what is pinned, and what of it waits for approval',
        load: async () => (await import('./commands/lock.ts')).lock,
      },
      {
        name: 'lock check',
        summary: 'Check whether servers still offer what was approved',
        load: async () => (await import('./commands/lock-check.ts')).lockCheck,
      },
      {
        name: 'lock approve',
        summary: 'Agree to what a server offers now',
        load: async () => (await import('./commands/lock-approve.ts')).lockApprove,
      },
      {
        name: 'policy test',
        summary: 'Try other rules on what happened',
        load: async () => (await import('./commands/policy-test.ts')).policyTest,
      },
      {
        name: 'audit verify',
        summary: 'Check whether an audit is as it was written',
        load: async () => (await import('./commands/audit-verify.ts')).auditVerify,
      },
    ],
  },
  {
    title: 'Understand',
    commands: [
      {
        name: 'doctor',
        summary: 'Find what is wrong with a server or the way to it, and what to do about it',
        load: async () => (await import('./commands/doctor.ts')).doctor,
      },
      {
        name: 'trace',
        summary: 'Show what client and server say to each other, line by line',
        load: async () => (await import('./commands/trace.ts')).trace,
      },
      {
        name: 'record',
        summary: 'Write a conversation down for a cassette',
        load: async () => (await import('./commands/record.ts')).record,
      },
      {
        name: 'replay',
        summary: 'Serve a cassette, or hold a live server against it',
        load: async () => (await import('./commands/replay.ts')).replayCommand,
      },
      {
        name: 'types',
        summary: 'Write TypeScript declarations for a server',
        load: async () => (await import('./commands/types.ts')).types,
      },
    ],
  },
];

/** What this command line types to itself, and nobody else. */
const own: readonly CommandEntry[] = [
  {
    name: 'dev-version',
    summary: 'One version of the module that `mooring dev` serves',
    load: async () => (await import('./dev/version-command.ts')).devVersion,
  },
];

const all: readonly CommandEntry[] = groups.flatMap(({ commands }) => commands);

/** The command that these words begin with; of `audit verify` and `audit`, the longer one. */
export function commandIn(words: readonly string[]): CommandEntry | undefined {
  const [first = '', second = ''] = words;
  const typed = [...all, ...own];
  return typed.find(({ name }) => name === `${first} ${second}`) ?? typed.find(({ name }) => name === first);
}

/** Commands that somebody may have meant: of the same family, or a slip of the finger away. */
export function similarTo(word: string): readonly string[] {
  const names = all.map(({ name }) => name);
  const family = names.filter((name) => name.startsWith(`${word} `));
  return family.length > 0 ? family : nearestNames(word, names);
}
