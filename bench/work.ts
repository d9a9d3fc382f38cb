/** The work of every contender, and the checks of its answers. */

/** Settings of a program, as JSON in its first argument. */
export interface Setup {
  /** The total number of tools, `echo` and `count` included. */
  readonly tools: number;
  /** With sessions, or stateless requests. */
  readonly era: 'session' | 'stateless';
  /** Answers as JSON where the peer has a choice. */
  readonly json: boolean;
  /** The schema library, where a program has a choice. */
  readonly schema: 'zod' | 'valibot' | 'json' | 'none';
  /** The maximum size of a body or line, where a peer has a limit. */
  readonly room: number;
  /** The maximum number of open `subscriptions/listen` streams. */
  readonly listeners: number;
  /** The servers of a client: URLs for JSON and SSE, or a command. */
  readonly servers: Readonly<Record<string, string>>;
  /** The modules to import, for the program that measures imports. */
  readonly modules: readonly string[];
}

export const plain: Setup = {
  tools: 2,
  era: 'session',
  json: false,
  schema: 'zod',
  room: 4 * 1024 * 1024,
  listeners: 1_024,
  servers: {},
  modules: [],
};

/** The settings of this process. */
export const setup = (): Setup => ({ ...plain, ...(JSON.parse(process.argv[2] ?? '{}') as Partial<Setup>) }); // from the bench

export const SERVER = { name: 'quay', version: '1.0.0' } as const;

/** Names of the tools that are listed but not called. */
export const others = ({ tools }: Setup): string[] => Array.from({ length: tools - 2 }, (_, at) => `berth_${at}`);

export const DESCRIPTION =
  'Looks up one berth of the quay: who lies there, since when, until when, how deep the water is, and which cranes reach it. ' +
  'Use it before you send a ship anywhere; do not use it to reserve anything.';

/** The fields of such a tool, with descriptions. */
export const FIELDS: readonly (readonly [string, string])[] = [
  ['quay', 'The name of the quay as the harbourmaster writes it, in capital letters'],
  ['number', 'The number of the berth, counted from the mouth of the harbour'],
  ['from', 'The first day of interest, as the calendar writes it'],
  ['until', 'The last day of interest; without it, the first day alone'],
  ['draught', 'How deep the ship lies in the water when it is loaded'],
  ['cargo', 'What the ship carries, in the words of its papers'],
  ['flag', 'The country whose flag the ship flies'],
  ['notes', 'Anything else that the harbourmaster ought to know'],
];

export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string | undefined }[] | undefined;
  readonly isError?: boolean | undefined;
}

/** The text of a result with a single text block; throws for any other result. */
export function textOf(result: ToolResult | undefined): string {
  const [block, ...more] = result?.content ?? [];
  if (block?.type !== 'text' || block.text === undefined || more.length > 0 || result?.isError === true)
    throw new Error(`Wrong answer: ${JSON.stringify(result)?.slice(0, 500)}`);
  return block.text;
}

export function mustBe(expected: string, actual: string): void {
  if (actual !== expected)
    throw new Error(`Wrong answer: expected ${expected.slice(0, 200)}, got ${actual.slice(0, 200)}`);
}
