/** Warns about suspicious parts of a command. A list of patterns finds careless commands, not clever attacks. */
import { printable } from '../../model/printable.ts';
import { loadsCode } from './loader-variables.ts';
import type { SandboxedCommand } from './sandbox.ts';

const ALWAYS = 'This starts a program on this machine. It can read, change and send whatever you can.';
const SANDBOXED =
  'This starts a program on this machine, within a sandbox: look at what that lets it read, change and send.';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']);
const shellSwitch = /^(?:-\w*c|\/[ck]|-command|-encodedcommand|-enc?|-e)$/i;
const privilegeTools: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'runas', 'gsudo']);
const interpreters = /^(?:node|bun|deno|python[\d.]*|perl|ruby|php)$/;
const fetchers: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pipx', 'dlx', 'pnpx']);

type TextTest = (text: string) => boolean;

const matches =
  (pattern: RegExp): TextTest =>
  (text) =>
    pattern.test(text);

/** Two expressions in sequence. A single one with `.*` in between would take quadratic time. */
const inOrder =
  (first: RegExp, then: RegExp): TextTest =>
  (text) => {
    const found = first.exec(text);
    return found !== null && then.test(text.slice(found.index + found[0].length));
  };

/** Matches all options of an `rm` at once, also to avoid quadratic time. */
const removesTrees: TextTest = (text) => (text.match(/\brm(?:\s+-\S+)+/g) ?? []).some((one) => /\s-\w*[rRf]/.test(one));

const matchesAny =
  (...tests: readonly TextTest[]): TextTest =>
  (text) =>
    tests.some((test) => test(text));

/** Tested on the whole command line, including scripts for a shell. */
const dangerousActions: readonly (readonly [TextTest, string])[] = [
  [
    matchesAny(removesTrees, inOrder(/\bdd\s/, /\bof=/), matches(/\bdel\s+\/[sq]|\brmdir\s+\/s|\bmkfs\b/)),
    'deletes or overwrites files',
  ],
  [
    inOrder(/\b(?:curl|wget|iwr|invoke-webrequest)\b/i, /\|\s*(?:sudo\s+)?\w*(?:sh|python\d?|node|perl|iex)\b/i),
    'runs what it has just downloaded',
  ],
  [inOrder(/\bbase64\s+(?:-d|-D|--decode)\b/, /\|/), 'runs what was hidden in an encoding'],
  [
    matchesAny(matches(/\/dev\/(?:tcp|udp)\//), inOrder(/\b(?:nc|ncat|netcat)\b/, /\s-\w*[ec]\b/)),
    'connects a shell to the network',
  ],
  [matches(/--privileged\b|(?:-v|--volume)[= ]\/:|\bdocker\.sock\b/), 'gives a container the whole machine'],
];

/** Tested on each word of the command. */
const sensitivePaths: readonly (readonly [TextTest, string])[] = [
  [matches(/[/\\]\.(?:ssh|gnupg|aws|azure|kube|docker)\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b/), 'keys and credentials'],
  [
    matches(
      /[/\\]\.config[/\\](?:gcloud|gh)\b|\.(?:netrc|npmrc|pypirc|git-credentials|pgpass)\b|(?:^|[/\\])\.env(?:\.\w+)?$/,
    ),
    'keys and credentials',
  ],
  [matches(/\/etc\/(?:passwd|shadow|sudoers)|[/\\]Keychains\b|[/\\]\.password-store\b/), 'passwords'],
  [
    inOrder(/[/\\](?:Chrome|Chromium|Firefox|BraveSoftware|Edge)[/\\]/, /User Data|Profiles|Default|Cookies/),
    'the data of a browser',
  ],
  [
    matches(/[/\\]\.(?:bashrc|bash_profile|zshrc|profile|zprofile)\b|\/etc\/cron|[/\\]LaunchAgents\b|[/\\]Startup\b/),
    'what runs when you sign in',
  ],
];

export function commandWarnings(
  shown: SandboxedCommand,
  { sandboxed }: { readonly sandboxed: boolean },
): readonly string[] {
  const { command, args, cwd } = shown;
  const words = [command, ...args];
  const line = words.join(' ');
  return [
    sandboxed ? SANDBOXED : ALWAYS,
    ...programWarnings(words),
    ...dangerousActions.filter(([test]) => test(line)).map(([, what]) => `It ${what}.`),
    ...pathWarnings([...words, ...(cwd === undefined ? [] : [cwd])]),
    ...variableWarnings(shown.env),
    ...(printable(line) === line ? [] : ['It holds characters that cannot be seen, or that change what is read.']),
  ];
}

function programWarnings(words: readonly string[]): string[] {
  const [program = '', ...rest] = words;
  const name = programName(program);
  const found: string[] = [];
  if (
    name === 'su' ||
    words.some((word) => word.split(/[\s;&|(]+/).some((one) => privilegeTools.has(programName(one))))
  )
    found.push('It asks for more rights than you have now.');
  const shell = words.findIndex((word) => shells.has(programName(word)));
  if (shell !== -1 && words.slice(shell + 1).some((word) => shellSwitch.test(word)))
    found.push('It runs a script in a shell, which can do anything.');
  if (interpreters.test(name) && rest.some((word) => /^(?:-e|-c|-p|-r|--eval|--print|eval)$/.test(word)))
    found.push('The arguments contain the code that runs.');
  const fetcher = words.findIndex((word) => fetchers.has(programName(word)));
  const wanted = words.slice(fetcher + 1).find((word) => !word.startsWith('-'));
  if (fetcher !== -1 && wanted !== undefined && !/(?:@|==)\d+\.\d+\.\d+/.test(wanted))
    found.push(`It runs whatever version of ${printable(wanted)} is the newest when it starts; name an exact version.`);
  return found;
}

function pathWarnings(words: readonly string[]): string[] {
  const found = new Set<string>();
  for (const [test, what] of sensitivePaths) {
    const word = words.find(test);
    if (word !== undefined) found.add(`It names a path to ${what}: ${printable(word)}`);
  }
  const whole = words
    .slice(1)
    .find((word) => /^(?:\/|~|~\/|\$HOME|[A-Za-z]:\\?|\/(?:home|Users)(?:\/[^/]+)?\/?)$/.test(word));
  if (whole !== undefined) found.add(`It names a whole disk or home folder: ${printable(whole)}`);
  return [...found];
}

const variableWarnings = (env: SandboxedCommand['env']): string[] =>
  Object.entries(env)
    .filter(([name]) => loadsCode(name))
    .map(([name, value]) => `${name} changes which code runs${value === undefined ? '' : `: ${printable(value)}`}`);

/** `C:\x\PowerShell.EXE` is powershell. */
const programName = (word: string): string =>
  (word.split(/[/\\]/).at(-1) ?? '').toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
