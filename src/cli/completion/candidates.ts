/** What can come next on a command line that is being typed. */
import { readdir } from 'node:fs/promises';
import { revisionIds } from '../../revisions/index.ts';
import { everywhere } from '../arguments.ts';
import type { CliCommand, Option } from '../command.ts';
import { commandIn, familyOf, groups } from '../commands.ts';
import { pathFrom } from '../paths.ts';
import { applications } from '../servers/known-applications.ts';
import type { Shell } from '../shell.ts';
import { configuredServers } from '../target/target.ts';
import { type CompletionOffer, offerForCompletion } from './cached-offer.ts';

/** `words` are those behind `mooring`; the last one is being typed, and may be empty. Never throws: a shell shows nothing then. */
export async function candidatesFor(words: readonly string[], shell: Shell): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const found = await possible(words, shell).catch((): readonly string[] => []);
  return [...new Set(found)].filter((one) => one.startsWith(typed) && isTypeable(one));
}

/** A name of a server that would mean something else to the shell is left to its user to quote. */
const isTypeable = (candidate: string): boolean => /^[\w@%+=:,./~-]+$/.test(candidate);

async function possible(words: readonly string[], shell: Shell): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const listed = commandIn(before);
  if (before[0] === 'help') return possible(words.slice(1), shell);
  if (listed === undefined)
    return before.length === 0 ? [...commandNames(), '--help', '--version'] : secondWords(before.join(' '));
  const command = await listed.load();
  const rest = before.slice(listed.name.split(' ').length);
  const followers = rest.length === 0 ? secondWords(listed.name) : [];
  return [...followers, ...(await wordsOf(command, { rest, typed: words.at(-1) ?? '', shell }))];
}

const commandNames = (): readonly string[] => [
  ...new Set(groups.flatMap(({ commands }) => commands.map(({ name }) => name.split(' ', 1)[0] ?? ''))),
];
/** `add` of `servers add`. */
const secondWords = (first: string): readonly string[] =>
  familyOf(first).map(({ name }) => name.slice(first.length + 1));

interface Typing {
  readonly rest: readonly string[];
  readonly typed: string;
  readonly shell: Shell;
}

async function wordsOf(command: CliCommand, typing: Typing): Promise<readonly string[]> {
  const { rest, typed, shell } = typing;
  // Behind the dashes is another program's command line.
  if (rest.includes('--')) return [];
  const options = new Map<string, Option>(Object.entries({ ...command.options, ...everywhere }));
  const last = rest.at(-1) ?? '';
  if (takesValue(options, last)) return wordsFor(options.get(last.slice(2))?.value ?? '', typing);
  if (typed.startsWith('-')) return [...options.keys()].map((name) => `--${name}`);
  const plain = plainWords(rest, options);
  const [target, ...further] = plain;
  const list = listsOf.get(command.name);
  if (target !== undefined && list !== undefined) {
    const offered = offeredWords(list, further, await offerForCompletion(target, shell));
    // A name of a server must not become an option of ours.
    return offered.filter((one) => !one.startsWith('-'));
  }
  const place = placeIn(command.usage[0] ?? '', plain.length);
  return wordsFor(/<([^>]+)>/.exec(place)?.[1] ?? '', typing);
}

/** `<target>`, or `[<target> …]`, which may come again. */
function placeIn(form: string, at: number): string {
  const places = [...form.matchAll(/\[?<[^>]+>(?: …)?/g)].map(([place]) => place);
  const last = places.at(-1) ?? '';
  return places[at] ?? (last.endsWith('…') ? last : '');
}

/** The words that are neither options nor their values. */
function plainWords(rest: readonly string[], options: ReadonlyMap<string, Option>): readonly string[] {
  return rest.filter((word, at) => !word.startsWith('-') && !takesValue(options, rest[at - 1]));
}

function takesValue(options: ReadonlyMap<string, Option>, word: string | undefined): boolean {
  const option = word?.startsWith('--') === true ? options.get(word.slice(2)) : undefined;
  return option?.type === 'string' && option.optional === undefined;
}

/** What a placeholder such as `file`, `file | folder` or `stdio|http` stands for: words of a kind, or the words themselves. */
async function wordsFor(placeholder: string, typing: Typing): Promise<readonly string[]> {
  const parts = placeholder.split('|').map((part) => part.trim());
  const words = parts.map(async (part) => {
    const find = kinds.get(part);
    if (find !== undefined) return find(typing);
    return parts.length > 1 && /^\w+$/.test(part) ? [part] : [];
  });
  return (await Promise.all(words)).flat();
}

type FindWords = (typing: Typing) => Promise<readonly string[]>;
const kinds: ReadonlyMap<string, FindWords> = new Map<string, FindWords>([
  ['application', async () => applications.map(({ id }) => id)],
  ['date', async () => revisionIds],
  ['file', ({ typed, shell }) => filesAt(typed, shell, () => true)],
  ['folder', ({ typed, shell }) => filesAt(typed, shell, () => false)],
  ['module', ({ typed, shell }) => moduleFiles(typed, shell)],
  ['recording', ({ typed, shell }) => filesAt(typed, shell, () => true)],
  ['server', ({ shell }) => serverNames(shell)],
  ['url', async () => []],
  ['target', async ({ typed, shell }) => [...(await serverNames(shell)), ...(await moduleFiles(typed, shell))]],
]);

async function serverNames(shell: Shell): Promise<readonly string[]> {
  const { servers } = await configuredServers({ values: {}, shell });
  return Object.keys(servers);
}

const isModule = (name: string): boolean =>
  /\.[cm]?[jt]sx?$/.test(name) && !/\.(?:test|spec|config|d)\.[cm]?[jt]sx?$/.test(name);
const moduleFiles = (typed: string, shell: Shell): Promise<readonly string[]> => filesAt(typed, shell, isModule);

/** With folders, which end with a slash. What is in this folder begins with `./`, unless it was begun without. */
async function filesAt(typed: string, shell: Shell, fits: (name: string) => boolean): Promise<readonly string[]> {
  const folder = typed === '' ? './' : typed.slice(0, typed.lastIndexOf('/') + 1);
  const entries = await readdir(pathFrom(shell, folder === '' ? '.' : folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return [`${folder}${entry.name}/`];
    return fits(entry.name) ? [`${folder}${entry.name}`] : [];
  });
}

/** What the word behind the target names. */
const listsOf: ReadonlyMap<string, 'tools' | 'prompts' | 'resources' | 'all'> = new Map([
  ['call', 'tools'],
  ['list', 'all'],
  ['lock approve', 'tools'],
  ['prompt', 'prompts'],
  ['read', 'resources'],
  ['watch', 'resources'],
]);

function offeredWords(list: string, plain: readonly string[], offer: CompletionOffer): readonly string[] {
  const { tools, prompts, resources } = offer;
  const [chosen, ...args] = plain;
  if (list === 'resources') return resources;
  const own = list === 'tools' ? tools : list === 'prompts' ? prompts : [...tools, ...prompts];
  if (chosen === undefined) return own.map(({ name }) => name);
  const given = new Set(args.map((word) => word.split(/:?=/, 1)[0] ?? ''));
  const keys = own.find(({ name }) => name === chosen)?.keys ?? [];
  return keys.filter((key) => !given.has(key)).map((key) => `${key}=`);
}
