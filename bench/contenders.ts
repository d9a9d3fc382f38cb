/** The contenders: names and setup. */
import type { Setup } from './work.ts';

export interface Entry {
  readonly name: string;
  /** The folder under `peers/`. */
  readonly peer: string;
  /** The program, where it differs from the usual one of the transport. */
  readonly program?: string;
  readonly setup?: Partial<Setup>;
  /** Answers as JSON only if the client accepts nothing else. */
  readonly jsonByAccept?: boolean;
  /** Has no revision without a handshake, so it speaks an old revision without sessions. */
  readonly oldWire?: boolean;
  /** Verifies the token of each request. */
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

/** A peer that can answer as a stream or as JSON is entered twice. */
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

/** Peers without a revision for this omit the session instead. */
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

export const NO_STDIO = { 'mcp-lite': 'no stdio' };
