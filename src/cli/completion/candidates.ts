/** Candidates for the next word of a command line, for shell completion. */
import { readdir } from 'node:fs/promises';
import { revisionIds } from '../../revisions/index.ts';
import { globalOptions } from '../arguments.ts';
import type { CliCommand, Option } from '../command.ts';
import { commandIn, familyOf, groups } from '../commands.ts';
import { pathFrom } from '../paths.ts';
import { applications } from '../servers/known-applications.ts';
import type { Shell } from '../shell.ts';
import { configuredServers } from '../target/target.ts';
import { type CompletionOffer, offerForCompletion } from './cached-offer.ts';

/** `words` follow `mooring`; the last one is being typed and can be empty. Never rejects: on failure, the shell gets no candidates. */
export async function candidatesFor(words: readonly string[], shell: Shell): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const found = await findCandidates(words, shell).catch((): readonly string[] => []);
  return [...new Set(found)].filter((one) => one.startsWith(typed) && isTypeable(one));
}

/** Leaves out names that need quotes in a shell: the name of a server must not inject shell syntax. */
const isTypeable = (candidate: string): boolean => /^[\w@%+=:,./~-]+$/.test(candidate);

async function findCandidates(words: readonly string[], shell: Shell): Promise<readonly string[]> {
  const before = words.slice(0, -1);
  const listed = commandIn(before);
  if (before[0] === 'help') return findCandidates(words.slice(1), shell);
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
/** `add` for `servers add`. */
const secondWords = (first: string): readonly string[] =>
  familyOf(first).map(({ name }) => name.slice(first.length + 1));

interface Typing {
  readonly rest: readonly string[];
  readonly typed: string;
  readonly shell: Shell;
}

async function wordsOf(command: CliCommand, typing: Typing): Promise<readonly string[]> {
  const { rest, typed, shell } = typing;
  // After `--` is the command line of another program.
  if (rest.includes('--')) return [];
  const options = new Map<string, Option>(Object.entries({ ...command.options, ...globalOptions }));
  const last = rest.at(-1) ?? '';
  if (takesValue(options, last)) return wordsFor(options.get(last.slice(2))?.value ?? '', typing);
  if (typed.startsWith('-')) return [...options.keys()].map((name) => `--${name}`);
  const plain = plainWords(rest, options);
  const [target, ...further] = plain;
  const list = itemsOf.get(command.name);
  if (target !== undefined && list !== undefined) {
    const offered = offeredWords(list, further, await offerForCompletion(target, shell));
    // The name of a tool must not become an option of mooring.
    return offered.filter((one) => !one.startsWith('-'));
  }
  const place = placeholderAt(command.usage[0] ?? '', plain.length);
  return wordsFor(/<([^>]+)>/.exec(place)?.[1] ?? '', typing);
}

/** The placeholder at this position; the last one repeats if it ends with `…`. */
function placeholderAt(form: string, at: number): string {
  const places = [...form.matchAll(/\[?<[^>]+>(?: …)?/g)].map(([place]) => place);
  const last = places.at(-1) ?? '';
  return places[at] ?? (last.endsWith('…') ? last : '');
}

/** The positional words: neither options nor their values. */
function plainWords(rest: readonly string[], options: ReadonlyMap<string, Option>): readonly string[] {
  return rest.filter((word, at) => !word.startsWith('-') && !takesValue(options, rest[at - 1]));
}

function takesValue(options: ReadonlyMap<string, Option>, word: string | undefined): boolean {
  const option = word?.startsWith('--') === true ? options.get(word.slice(2)) : undefined;
  return option?.type === 'string' && option.optional === undefined;
}

/** Candidates for a placeholder: `file` lists files; `file | folder` lists both; `stdio|http` is a choice of literal words. */
async function wordsFor(placeholder: string, typing: Typing): Promise<readonly string[]> {
  const parts = placeholder.split('|').map((part) => part.trim());
  const words = parts.map(async (part) => {
    const find = placeholderKinds.get(part);
    if (find !== undefined) return find(typing);
    return parts.length > 1 && /^\w+$/.test(part) ? [part] : [];
  });
  return (await Promise.all(words)).flat();
}

type FindWords = (typing: Typing) => Promise<readonly string[]>;
const placeholderKinds: ReadonlyMap<string, FindWords> = new Map<string, FindWords>([
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

/** Matching files and all folders (with a trailing slash). Adds `./` only if nothing is typed yet. */
async function filesAt(typed: string, shell: Shell, fits: (name: string) => boolean): Promise<readonly string[]> {
  const folder = typed === '' ? './' : typed.slice(0, typed.lastIndexOf('/') + 1);
  const entries = await readdir(pathFrom(shell, folder === '' ? '.' : folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return [`${folder}${entry.name}/`];
    return fits(entry.name) ? [`${folder}${entry.name}`] : [];
  });
}

/** Which items the word after the target names, by command. */
const itemsOf: ReadonlyMap<string, 'tools' | 'prompts' | 'resources' | 'all'> = new Map([
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
