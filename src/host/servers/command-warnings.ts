/** Finds what deserves a second look in a command. Such a list finds careless commands, and not cunning ones. */
import { printable } from '../../model/printable.ts';
import { loadsCode } from './loader-variables.ts';
import type { SandboxedCommand } from './sandbox.ts';

const ALWAYS = 'This starts a program on this machine. It can read, change and send whatever you can.';
const SANDBOXED =
  'This starts a program on this machine, within a sandbox: look at what that lets it read, change and send.';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']);
const shellSwitch = /^(?:-\w*c|\/[ck]|-command|-encodedcommand|-enc?|-e)$/i;
const raisers: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'runas', 'gsudo']);
const interpreters = /^(?:node|bun|deno|python[\d.]*|perl|ruby|php)$/;
const fetchers: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pipx', 'dlx', 'pnpx']);

type Sign = (text: string) => boolean;

const has =
  (pattern: RegExp): Sign =>
  (text) =>
    pattern.test(text);

/** One expression with `.*` between the two would look at the rest of the text again for each place where it can begin. */
const inOrder =
  (first: RegExp, then: RegExp): Sign =>
  (text) => {
    const found = first.exec(text);
    return found !== null && then.test(text.slice(found.index + found[0].length));
  };

/** Takes all options of an `rm` at once, for the same reason. */
const removesTrees: Sign = (text) => (text.match(/\brm(?:\s+-\S+)+/g) ?? []).some((one) => /\s-\w*[rRf]/.test(one));

const either =
  (...signs: readonly Sign[]): Sign =>
  (text) =>
    signs.some((sign) => sign(text));

/** In any part of a command, also inside the text for a shell. */
const anywhere: readonly (readonly [Sign, string])[] = [
  [
    either(removesTrees, inOrder(/\bdd\s/, /\bof=/), has(/\bdel\s+\/[sq]|\brmdir\s+\/s|\bmkfs\b/)),
    'deletes or overwrites files',
  ],
  [
    inOrder(/\b(?:curl|wget|iwr|invoke-webrequest)\b/i, /\|\s*(?:sudo\s+)?\w*(?:sh|python\d?|node|perl|iex)\b/i),
    'runs what it has just downloaded',
  ],
  [inOrder(/\bbase64\s+(?:-d|-D|--decode)\b/, /\|/), 'runs what was hidden in an encoding'],
  [
    either(has(/\/dev\/(?:tcp|udp)\//), inOrder(/\b(?:nc|ncat|netcat)\b/, /\s-\w*[ec]\b/)),
    'connects a shell to the network',
  ],
  [has(/--privileged\b|(?:-v|--volume)[= ]\/:|\bdocker\.sock\b/), 'gives a container the whole machine'],
];

const sensitive: readonly (readonly [Sign, string])[] = [
  [has(/[/\\]\.(?:ssh|gnupg|aws|azure|kube|docker)\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b/), 'keys and credentials'],
  [
    has(
      /[/\\]\.config[/\\](?:gcloud|gh)\b|\.(?:netrc|npmrc|pypirc|git-credentials|pgpass)\b|(?:^|[/\\])\.env(?:\.\w+)?$/,
    ),
    'keys and credentials',
  ],
  [has(/\/etc\/(?:passwd|shadow|sudoers)|[/\\]Keychains\b|[/\\]\.password-store\b/), 'passwords'],
  [
    inOrder(/[/\\](?:Chrome|Chromium|Firefox|BraveSoftware|Edge)[/\\]/, /User Data|Profiles|Default|Cookies/),
    'the data of a browser',
  ],
  [
    has(/[/\\]\.(?:bashrc|bash_profile|zshrc|profile|zprofile)\b|\/etc\/cron|[/\\]LaunchAgents\b|[/\\]Startup\b/),
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
    ...anywhere.filter(([sign]) => sign(line)).map(([, what]) => `It ${what}.`),
    ...pathWarnings([...words, ...(cwd === undefined ? [] : [cwd])]),
    ...variableWarnings(shown.env),
    ...(printable(line) === line ? [] : ['It holds characters that cannot be seen, or that change what is read.']),
  ];
}

function programWarnings(words: readonly string[]): string[] {
  const [program = '', ...rest] = words;
  const name = programName(program);
  const found: string[] = [];
  if (name === 'su' || words.some((word) => word.split(/[\s;&|(]+/).some((one) => raisers.has(programName(one)))))
    found.push('It asks for more rights than you have now.');
  const shell = words.findIndex((word) => shells.has(programName(word)));
  if (shell !== -1 && words.slice(shell + 1).some((word) => shellSwitch.test(word)))
    found.push('It hands a text to a shell, which may do anything.');
  if (interpreters.test(name) && rest.some((word) => /^(?:-e|-c|-p|-r|--eval|--print|eval)$/.test(word)))
    found.push('The program is a text among the arguments.');
  const fetcher = words.findIndex((word) => fetchers.has(programName(word)));
  const wanted = words.slice(fetcher + 1).find((word) => !word.startsWith('-'));
  if (fetcher !== -1 && wanted !== undefined && !/(?:@|==)\d+\.\d+\.\d+/.test(wanted))
    found.push(`It runs whatever version of ${printable(wanted)} is the newest when it starts; name an exact version.`);
  return found;
}

function pathWarnings(words: readonly string[]): string[] {
  const found = new Set<string>();
  for (const [sign, what] of sensitive) {
    const word = words.find(sign);
    if (word !== undefined) found.add(`It names a place of ${what}: ${printable(word)}`);
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
