/** A conversation with a model, independent of the provider: available tools, calls and results. */

export interface Conversation {
  /** Tool names as the product passes them to the model. */
  readonly tools: readonly string[];
  /** The model's calls with their results, oldest first. */
  readonly calls: readonly MadeCall[];
}

export interface MadeCall {
  readonly tool: string;
  readonly result: string;
}

/** The next turn of the model: a tool call, or a final text. */
export type ModelReply =
  | { readonly tool: string; readonly input: Readonly<Record<string, string>> }
  | { readonly text: string };

/** One provider API: parses requests and serializes replies. */
export interface Dialect {
  readonly name: string;
  /** Whether this API serves the path. */
  answers(path: string): boolean;
  read(body: Loose): Conversation;
  /** The whole response body: SSE, or one JSON value if the product did not request a stream. */
  write(reply: ModelReply, asked: { readonly body: Loose; readonly path: string; readonly id: string }): Written;
}

export interface Written {
  readonly type: 'text/event-stream' | 'application/json';
  readonly body: string;
}

/** JSON of a product, whose shape each API knows. */
export type Loose = { readonly [key: string]: LooseValue };
export type LooseValue = string | number | boolean | null | undefined | readonly LooseValue[] | Loose;

export const objects = (value: LooseValue): readonly Loose[] =>
  Array.isArray(value) ? value.filter((one): one is Loose => typeof one === 'object' && one !== null) : [];

export const textIn = (value: LooseValue): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, output, content } = value as Loose; // neither null nor an array
  const said = [text, output, content].map(textIn).filter((one) => one !== '');
  return said.length > 0 ? said.join('\n') : JSON.stringify(value);
};

/** Events with names. */
export const namedEvents = (events: readonly (Loose & { readonly type: string })[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** Events without names. */
export const bareEvents = (events: readonly Loose[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
