/** The work that every contender does, and how its answers are known to be right. */

/** What a program is told when it starts, as JSON in its first argument. */
export interface Setup {
  /** How many tools there are in all, `echo` and `count` among them. */
  readonly tools: number;
  /** With sessions, or every request for itself. */
  readonly era: 'session' | 'stateless';
  /** Answers as JSON where the peer has a choice. */
  readonly json: boolean;
  /** What checks the arguments, where a program has a choice. */
  readonly schema: 'zod' | 'valibot' | 'json' | 'none';
  /** Room for a body or a line of this size, where a peer has a limit. */
  readonly room: number;
  /** Streams of news that may be open. */
  readonly listeners: number;
  /** Where a client finds servers: addresses for JSON and for events, or a command. */
  readonly servers: Readonly<Record<string, string>>;
  /** What a program that only imports imports. */
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

/** How this process was told to set itself up. */
export const setup = (): Setup => ({ ...plain, ...(JSON.parse(process.argv[2] ?? '{}') as Partial<Setup>) }); // from the bench

export const SERVER = { name: 'quay', version: '1.0.0' } as const;

/** Names of the tools that stand beside the two that are called. */
export const others = ({ tools }: Setup): string[] => Array.from({ length: tools - 2 }, (_, at) => `berth_${at}`);

export const DESCRIPTION =
  'Looks up one berth of the quay: who lies there, since when, until when, how deep the water is, and which cranes reach it. ' +
  'Use it before you send a ship anywhere; do not use it to reserve anything.';

/** The fields of a tool that stands beside, each with a sentence about it. */
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

/** The text of a result that is one block of text and no error; anything else is a wrong answer. */
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
