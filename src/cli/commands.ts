/** Registry of all commands, in the order of the help. A command's module is imported only when it runs. */
import { isObject } from '../jsonrpc/message.ts';
import { nearestNames } from '../model/suggest.ts';
import type { CliCommand } from './command.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CliCommand>;
}

const entry = (name: string, summary: string, load: () => Promise<object>): CommandEntry => ({
  name,
  summary,
  async load() {
    const found = Object.values(await load()).find((exported) => isCommand(exported) && exported.name === name);
    if (found === undefined) throw new Error(`the file of ${name} does not define it`);
    return found;
  },
});

const isCommand = (value: unknown): value is CliCommand => isObject(value) && typeof value['run'] === 'function';

const doctor = (): Promise<object> => import('./commands/doctor.ts');
const gatewayExplain = (): Promise<object> => import('./commands/gateway-explain.ts');
const gatewayOperations = (): Promise<object> => import('./commands/gateway-operations.ts');
const install = (): Promise<object> => import('./commands/install.ts');
const skills = (): Promise<object> => import('./commands/skills.ts');
const tasks = (): Promise<object> => import('./commands/tasks.ts');

export const groups: readonly { readonly title: string; readonly commands: readonly CommandEntry[] }[] = [
  {
    title: 'Build a server',
    commands: [
      entry('init', 'Create a new server project, with tests', () => import('./commands/init.ts')),
      entry('run', 'Serve a module over stdio or HTTP', () => import('./commands/run.ts')),
      entry('dev', 'Serve a module with hot reload; clients stay connected', () => import('./commands/dev.ts')),
    ],
  },
  {
    title: 'Run a gateway',
    commands: [
      entry('gateway', 'Serve many servers as one, from a file', () => import('./commands/gateway.ts')),
      entry('gateway status', 'Show the upstreams of a running gateway', gatewayOperations),
      entry('gateway explain', 'Show what a caller can do with a tool, and why', gatewayExplain),
      entry('gateway drain', 'Stop a gateway without losing calls', gatewayOperations),
    ],
  },
  {
    title: 'Use a server',
    commands: [
      entry('list', 'List its tools, resources and prompts', () => import('./commands/list.ts')),
      entry('call', 'Call a tool', () => import('./commands/call.ts')),
      entry('tasks', 'List tasks that `mooring call` started', tasks),
      entry('tasks wait', 'Wait for a task and print its result', tasks),
      entry('tasks show', 'Show the state of a task', tasks),
      entry('tasks cancel', 'Ask the server to stop a task', tasks),
      entry('read', 'Read a resource', () => import('./commands/read.ts')),
      entry('prompt', 'Render a prompt', () => import('./commands/prompt.ts')),
      entry('watch', 'Print changes as they happen', () => import('./commands/watch.ts')),
      entry('skills list', 'List its skills', skills),
      entry('skills show', 'Print a skill or one of its files, verified', skills),
      entry('skills check', 'Check every file of every skill against its listing', skills),
      entry('chat', 'Talk to servers in the terminal, with or without a model', () => import('./commands/chat.ts')),
    ],
  },
  {
    title: 'Sign in',
    commands: [
      entry('login', 'Sign in to a server with your browser', () => import('./commands/sign-in.ts')),
      entry('logout', 'Sign out: revoke the tokens and remove them', () => import('./commands/sign-in.ts')),
      entry('whoami', 'Show who is signed in to a server', () => import('./commands/sign-in.ts')),
    ],
  },
  {
    title: 'Configure',
    commands: [
      entry('install', 'Add a server to Claude, Codex, Cursor, VS Code and others', install),
      entry('servers', 'List configured servers and their status', () => import('./commands/servers.ts')),
      entry('servers add', 'Add a server to a configuration file', () => import('./commands/servers-edit.ts')),
      entry('servers remove', 'Remove a server from a configuration file', () => import('./commands/servers-edit.ts')),
      entry('servers import', 'Copy servers from another application', () => import('./commands/servers-import.ts')),
      entry('completion', 'Print a completion script for bash, zsh or fish', () => import('./commands/completion.ts')),
    ],
  },
  {
    title: 'Control permissions',
    commands: [
      entry('lock', 'Show pinned tool definitions (mcp.lock)', () => import('./commands/lock.ts')),
      entry('lock check', 'Check that servers still offer what was approved', () => import('./commands/lock-check.ts')),
      entry('lock approve', 'Approve what a server offers now', () => import('./commands/lock-approve.ts')),
      entry('policy test', 'Replay an audit log against other rules', () => import('./commands/policy-test.ts')),
      entry('audit verify', 'Check an audit log for tampering', () => import('./commands/audit-verify.ts')),
    ],
  },
  {
    title: 'Debug and test',
    commands: [
      entry('lint', 'Find definitions that a model cannot use well', () => import('./commands/lint.ts')),
      entry('doctor', 'Check a server and the connection to it, and suggest fixes', doctor),
      entry('workbench', 'Open a page to inspect, call and debug servers', () => import('./commands/workbench.ts')),
      entry('trace', 'Print every message between client and server', () => import('./commands/trace.ts')),
      entry('record', 'Record a conversation as a test fixture', () => import('./commands/record.ts')),
      entry('replay', 'Serve a recording, or compare a live server with it', () => import('./commands/replay.ts')),
      entry('types', 'Generate TypeScript types for a server', () => import('./commands/types.ts')),
    ],
  },
];

/** Commands that mooring starts itself; not listed in the help. */
const internal: readonly CommandEntry[] = [
  entry('dev-version', 'One version of the module that `mooring dev` serves', () => import('./dev/version-command.ts')),
];

const all: readonly CommandEntry[] = groups.flatMap(({ commands }) => commands);

/** The command that these words begin with. Prefers the longer match: `servers add` over `servers`. */
export function commandIn(words: readonly string[]): CommandEntry | undefined {
  const [first = '', second = ''] = words;
  const typed = [...all, ...internal];
  return typed.find(({ name }) => name === `${first} ${second}`) ?? typed.find(({ name }) => name === first);
}

/** The two-word commands that begin with this word: `servers add` for `servers`. */
export const familyOf = (word: string): readonly CommandEntry[] =>
  all.filter(({ name }) => name.startsWith(`${word} `));

/** Names of other tools for our commands, for "did you mean". */
const synonyms: ReadonlyMap<string, string> = new Map([
  ...['new', 'create'].map((word) => [word, 'init'] as const),
  ...['serve', 'start'].map((word) => [word, 'run'] as const),
  ...['tools', 'ls'].map((word) => [word, 'list'] as const),
  ...['inspect', 'inspector', 'ui'].map((word) => [word, 'workbench'] as const),
  ['add', 'servers add'],
  ['import', 'servers import'],
  ['version', '--version'],
]);

/** Suggestions for an unknown command: its family, a synonym, or the nearest names. */
export function similarTo([first = '', second]: readonly string[]): readonly string[] {
  const family = familyOf(first).map(({ name }) => name);
  if (family.length === 0) {
    const meant = synonyms.get(first);
    const names = [...all.map(({ name }) => name), 'help'];
    return meant === undefined ? nearestNames(first, names) : [meant];
  }
  const meant = second === undefined ? [] : nearestNames(`${first} ${second}`, family);
  return meant.length > 0 ? meant : family;
}
