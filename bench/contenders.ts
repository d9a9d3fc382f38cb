/** Who takes part, under which name, and how each is set up. */
import type { Setup } from './work.ts';

export interface Entry {
  readonly name: string;
  /** The folder under `peers/`. */
  readonly peer: string;
  /** Another program than the usual one of its transport. */
  readonly program?: string;
  readonly setup?: Partial<Setup>;
  /** It answers as JSON only to who accepts nothing else. */
  readonly jsonByAccept?: boolean;
  /** It has no revision without a handshake; without sessions it speaks an old one. */
  readonly oldWire?: boolean;
  /** It verifies the token of each request. */
  readonly isVerifying?: boolean;
}

export const limit: Entry = { name: 'limit', peer: 'limit', setup: { schema: 'none' } };
const limitZod: Entry = { name: 'limit + zod', peer: 'limit', setup: { schema: 'zod' } };
const mooring: Entry = { name: 'Mooring', peer: 'mooring' };
const official2: Entry = { name: 'official v2', peer: 'official-2' };
const official1: Entry = { name: 'official v1', peer: 'official-1' };
const fastmcp: Entry = { name: 'fastmcp', peer: 'fastmcp' };
const tmcp: Entry = { name: 'tmcp', peer: 'tmcp' };
const mcpLite: Entry = { name: 'mcp-lite', peer: 'mcp-lite' };

const json = (entry: Entry): Entry => ({
  ...entry,
  name: `${entry.name}, JSON`,
  setup: { ...entry.setup, json: true },
});

/** Where a peer may answer as a stream or as JSON, both take part. */
export const inSessions: readonly Entry[] = [
  limit,
  limitZod,
  mooring,
  official2,
  json(official2),
  official1,
  json(official1),
  fastmcp,
  json(fastmcp),
  tmcp,
  mcpLite,
  { ...json(mcpLite), jsonByAccept: true },
];

const old = (entry: Entry): Entry => ({ ...entry, oldWire: true });

/** Without sessions. Those that know no revision without a handshake leave out the session instead. */
export const withoutSessions: readonly Entry[] = [
  limit,
  limitZod,
  mooring,
  official2,
  tmcp,
  old(json(official1)),
  old(json(fastmcp)),
  old(mcpLite),
  old({ ...json(mcpLite), jsonByAccept: true }),
].map((entry) => ({ ...entry, setup: { ...entry.setup, era: 'stateless' } }));

export const overStdio: readonly Entry[] = [limit, limitZod, mooring, official2, official1, fastmcp, tmcp];

export const only = (entries: readonly Entry[], ...names: readonly string[]): Entry[] =>
  entries.filter(({ name }) => names.includes(name));

export const NO_STDIO = { 'mcp-lite': 'it has no stdio' };
