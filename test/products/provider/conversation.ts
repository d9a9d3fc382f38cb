/** A conversation with a model, in no provider's words: what the model can call, and what came of its calls. */

export interface Conversation {
  /** The names of tools, as the product offers them to the model. */
  readonly tools: readonly string[];
  /** The calls that the model has made and their results, oldest first. */
  readonly calls: readonly MadeCall[];
}

export interface MadeCall {
  readonly tool: string;
  readonly result: string;
}

/** What the model says next: it calls a tool, or it ends its turn with a text. */
export type ModelReply =
  | { readonly tool: string; readonly input: Readonly<Record<string, string>> }
  | { readonly text: string };

/** One way of talking to models: how a request reads, and how a reply is written. */
export interface Dialect {
  readonly name: string;
  /** Whether this dialect answers requests at this path. */
  answers(path: string): boolean;
  read(body: Loose): Conversation;
  /** The whole body of the response: a stream of events, or one JSON value where the product did not ask for a stream. */
  write(reply: ModelReply, asked: { readonly body: Loose; readonly path: string; readonly id: string }): Written;
}

export interface Written {
  readonly type: 'text/event-stream' | 'application/json';
  readonly body: string;
}

/** JSON of a product, whose shape each dialect knows. */
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

/** Events with a name each. */
export const namedEvents = (events: readonly (Loose & { readonly type: string })[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** Events without a name. */
export const bareEvents = (events: readonly Loose[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
