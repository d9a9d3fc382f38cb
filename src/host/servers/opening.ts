/** What opening a server means: the act that rules and people decide on, and the way to it once they have agreed. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConnectOptions } from '../../client/index.ts';
import { type Target, type UrlOptions, type Way, wayTo } from '../../connect/target.ts';
import { McpError } from '../../errors.ts';
import type { ClientAuth } from '../../model/auth.ts';
import { canonical } from '../../model/canonical.ts';
import { shown as shownUrl } from '../../model/printable.ts';
import type { Act } from '../act.ts';
import { dangersOf, loaders, type ShownCommand } from './dangers.ts';
import { parseEnvFile } from './env-file.ts';
import type { Masks } from './masks.ts';
import type { ServerLog } from './server-log.ts';
import { type CommandSource, type ServerSource, type Sorted, sorted, type Text, type UrlSource } from './source.ts';
import { type Lookups, Texts } from './texts.ts';

export interface Opening {
  readonly act: Act;
  /** What to look at twice. */
  readonly warnings: readonly string[];
  /** Secrets are looked up here, and not before. */
  way(): Promise<Way>;
}

export interface OpeningOptions {
  readonly label: string;
  readonly lookups: Lookups;
  readonly masks: Masks;
  readonly log: ServerLog;
  /** Credentials for an address that names none itself. */
  readonly auth: ClientAuth | undefined;
  readonly connect: ConnectOptions;
}

/** Throws what the compiler would have said. */
export function checkSource(label: string, source: ServerSource): Sorted {
  const found = sorted(source);
  if (found !== undefined) return found;
  const why = `it must be a URL, { url }, { command, args }, a server, or a transport, not ${typeof source}`;
  throw new McpError('MCP_BAD_DEFINITION', { what: `The server "${label}"`, why });
}

export function openingOf(target: Sorted, options: OpeningOptions): Promise<Opening> {
  if (target.sort === 'command') return commandOpening(target.source, options);
  if (target.sort === 'url') return urlOpening(target.source, options);
  const inside = target.sort === 'process';
  const act: Act = {
    ...blank(options.label),
    kind: 'connect',
    name: inside ? 'a server in this process' : 'a transport of your own',
    // Nothing leaves this process until a tool does something.
    ...(inside ? { effects: 'read', openWorld: false } : {}),
  };
  return Promise.resolve({ act, warnings: [], way: async () => wayTo(target.source, options.connect) });
}

async function commandOpening(source: CommandSource, options: OpeningOptions): Promise<Opening> {
  const texts = new Texts({ ...options, from: source.from });
  const program = await shownCommand(source, texts);
  const { command, args, cwd, env } = program;
  const names = [...env.keys()].toSorted();
  const files = source.envFile === undefined ? [] : [await texts.shown(source.envFile, { variables: true })];
  const details = { command, args, ...(cwd === undefined ? {} : { cwd }), env: names, envFile: files };
  const act: Act = {
    ...blank(options.label),
    kind: 'spawn',
    name: [command, ...args].map(quoted).join(' '),
    arguments: details,
    // Values may be secrets, and a hash of a short one tells it; but those that choose the code are part of the command.
    definition: hashOf({ ...details, loads: [...env].filter(([name]) => loaders.has(name.toUpperCase())) }),
  };
  const way = async (): Promise<Way> => wayTo(await wholeCommand(source, texts, options), options.connect);
  return { act, warnings: dangersOf(program), way };
}

async function shownCommand(source: CommandSource, texts: Texts): Promise<ShownCommand> {
  const command = await texts.shown(source.command, { variables: true });
  const args = await all(source.args ?? [], (arg) => texts.shown(arg, { variables: false }));
  const cwd = source.cwd === undefined ? undefined : placed(source, await texts.shown(source.cwd, { variables: true }));
  const env = await all(
    Object.entries(source.env ?? {}),
    async ([name, text]): Promise<[string, string | undefined]> => [
      name,
      loaders.has(name.toUpperCase()) ? await texts.shown(text, { variables: true }) : undefined,
    ],
  );
  return { command, args, cwd, env: new Map(env) };
}

async function wholeCommand(source: CommandSource, texts: Texts, options: OpeningOptions): Promise<Target> {
  const env = new Map<string, string>();
  if (source.envFile !== undefined) {
    const path = placed(source, await texts.whole(source.envFile));
    for (const [name, value] of parseEnvFile(await readFile(path, 'utf8'))) {
      options.masks.add(value);
      env.set(name, value);
    }
  }
  for (const [name, text] of Object.entries(source.env ?? {})) env.set(name, await texts.whole(text));
  return {
    command: await texts.whole(source.command),
    args: await all(source.args ?? [], (arg) => texts.whole(arg)),
    env: Object.fromEntries(env),
    ...(source.cwd === undefined ? {} : { cwd: placed(source, await texts.whole(source.cwd)) }),
    onStderr: options.log.stderr,
    onStray: (what, sample) => options.log.write('stdout', `${what}: ${sample}`),
    clock: options.connect.clock,
  };
}

/** Paths in a file are meant from the folder that the file is about. */
const placed = ({ from }: CommandSource, path: string): string => resolve(from?.workspaceFolder ?? '', path);

async function urlOpening(source: UrlSource, options: OpeningOptions): Promise<Opening> {
  const texts = new Texts({ ...options, from: source.from });
  const address = source.url instanceof URL ? source.url.href : source.url;
  const url = await texts.shown(address, { variables: false });
  const headers = Object.keys(source.headers ?? {}).map((name) => name.toLowerCase());
  const details = { url, headers: headers.toSorted() };
  const act: Act = {
    ...blank(options.label),
    kind: 'connect',
    name: URL.canParse(url) ? shownUrl(new URL(url)) : url,
    arguments: details,
    definition: hashOf(details),
  };
  const way = async (): Promise<Way> => {
    const { from: _, url: _url, headers: named = {}, auth = options.auth, ...rest } = source;
    const fields = await all(
      Object.entries(named),
      async ([name, text]): Promise<[string, string]> => [name, await secretText(text, texts, options.masks)],
    );
    const shows = headers.includes('authorization') ? {} : { auth };
    const given: ConnectOptions & UrlOptions = {
      ...options.connect,
      ...rest,
      ...shows,
      headers: Object.fromEntries(fields),
    };
    return wayTo(await texts.whole(address), given);
  };
  return { act, warnings: urlDangers(url), way };
}

/** What stands in a header is a credential more often than not. */
async function secretText(text: Text, texts: Texts, masks: Masks): Promise<string> {
  const whole = await texts.whole(text);
  masks.add(whole.replace(/^(?:Bearer|Basic|Token)\s+/i, ''));
  return whole;
}

function urlDangers(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  const local = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  const open =
    protocol === 'http:' && !local ? ['What is sent there can be read and changed on the way: no https.'] : [];
  return hostname.includes('xn--') ? [...open, 'Its name is written in other letters than it seems.'] : open;
}

/** What is the same for every way to a server. */
const blank = (server: string): Act => ({
  kind: 'connect',
  server,
  name: '',
  arguments: {},
  principal: '',
  effects: 'unknown',
  claimed: 'unknown',
  openWorld: true,
  carries: [],
});

/** So that it can be seen where an argument begins and ends. */
const quoted = (word: string): string => (/^[\w@%+=:,./\\~-]+$/.test(word) ? word : JSON.stringify(word));

const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

const all = <T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> => Promise.all(items.map(each));
