/** The chat: runs the host's agent loop with a scripted or a configured model, and reports each step. */
import { badDefinition, messageOf } from '../errors.ts';
import { JsoncFault, lineOf } from '../files/jsonc.ts';
import { plainValue } from '../files/jsonc-tree.ts';
import { yamlFormat } from '../host/config/yaml-format.ts';
import {
  type AgentEvent,
  type Model,
  type ModelBlock,
  type ModelOptions,
  type ModelReply,
  type ModelRequest,
  type ScriptLine,
  scriptedModel,
} from '../host/index.ts';
import { isObject } from '../jsonrpc/message.ts';
import type { ChatRow, ChatState } from './protocol-timeline.ts';
import type { WorkbenchCore } from './workbench-core.ts';

/** Beyond this, the oldest rows are removed. */
const MAX_CHAT_ROWS = 2_000;
/** The model name that selects the script. */
const SCRIPTED = 'scripted';
const EMPTY_SCRIPT = '- This is a reply of the script. Edit the script to change what the model says.\n';

/** The host's model: replies from the script if `scripted` is requested, and otherwise delegates to the model that servers sample. */
export class ScriptableModel implements Model {
  readonly models: Model['models'];
  readonly #other: Model;
  #scripted: Model = scriptedModel(readScript(EMPTY_SCRIPT));
  script: string = EMPTY_SCRIPT;

  constructor(other: Model) {
    this.#other = other;
    this.models = [...other.models, { name: SCRIPTED }];
  }

  /** Replaces the script and starts at its first line. Throws if it is invalid. */
  setScript(script: string): void {
    this.#scripted = scriptedModel(readScript(script), [{ name: SCRIPTED }]);
    this.script = script;
  }

  reply(request: ModelRequest, options?: ModelOptions): Promise<ModelReply> {
    return (request.model === SCRIPTED ? this.#scripted : this.#other).reply(request, options);
  }
}

/** Parses a YAML list. An entry is text, `{ call: shop.refund, with: { order: A-1 } }`, or a list of both for one reply. */
function readScript(text: string): readonly ScriptLine[] {
  const lines = readYaml(text);
  if (!Array.isArray(lines))
    throw badDefinition('The script', 'expected a YAML list with one entry for each reply of the model');
  return lines.map((line: unknown, at) =>
    (Array.isArray(line) ? line : [line]).map((one: unknown, place) => blockOf(one, `${at + 1}-${place + 1}`)),
  );
}

/** Parses with the limits of configuration files: deep nesting would crash the process. */
function readYaml(text: string): unknown {
  try {
    return plainValue(yamlFormat.parse(text));
  } catch (thrown) {
    if (!(thrown instanceof JsoncFault)) throw thrown;
    throw badDefinition('The script', `line ${lineOf(text, thrown.offset)}: ${thrown.message}`);
  }
}

function blockOf(line: unknown, id: string): ModelBlock {
  if (typeof line === 'string') return { type: 'text', text: line };
  const { call, with: input = {} } = isObject(line) ? line : {};
  if (typeof call === 'string' && isObject(input)) return { type: 'tool_use', id, name: call, input };
  throw badDefinition('The script', `entry ${id} must be text or { call, with }`);
}

export class WorkbenchChat {
  readonly #bench: WorkbenchCore;
  readonly #model: ScriptableModel;
  readonly #configured: string | undefined;
  readonly #rows: ChatRow[] = [];
  #lastId = 0;
  #running: AbortController | undefined;

  constructor(bench: WorkbenchCore, model: ScriptableModel) {
    this.#bench = bench;
    this.#model = model;
    const { name, model: given, script } = bench.options.model ?? {};
    this.#configured = given === undefined ? undefined : name;
    if (script !== undefined) model.setScript(script);
  }

  get state(): ChatState {
    const { script } = this.#model;
    const model = this.#configured === undefined ? { model: SCRIPTED, script } : { model: this.#configured };
    return { ...model, running: this.#running !== undefined, rows: this.#rows };
  }

  setScript(text: string): ChatState {
    this.#model.setScript(text);
    this.#rows.length = 0;
    this.#emitRows([], { isNew: true });
    return this.state;
  }

  say(text: string): ChatState {
    if (this.#running !== undefined) throw badDefinition('The chat', 'the model is still replying; press Stop first');
    const control = new AbortController();
    this.#running = control;
    this.#add({ type: 'user', text });
    void this.#run(text, control).finally(() => {
      this.#running = undefined;
      this.#emitRows([]);
    });
    return this.state;
  }

  stop(): ChatState {
    this.#running?.abort();
    return this.state;
  }

  async #run(text: string, { signal }: AbortController): Promise<void> {
    const options = { signal, ...(this.#configured === undefined ? { model: SCRIPTED } : {}) };
    try {
      for await (const event of this.#bench.session.run(text, options)) this.#add(this.#inScriptNames(rowOf(event)));
    } catch (error) {
      this.#add({ type: 'error', text: messageOf(error) });
    }
  }

  #add(row: Omit<ChatRow, 'id' | 'at'>): void {
    const span = row.act === undefined ? undefined : this.#bench.history.spanOfAct(row.act);
    const last = this.#rows.at(-1);
    // Streamed text: appends to the last row.
    if (row.type === 'text' && last?.type === 'text') {
      const whole = this.#scrub({ ...last, text: last.text + row.text });
      this.#rows[this.#rows.length - 1] = whole;
      this.#emitRows([whole]);
      return;
    }
    const added: ChatRow = { ...this.#scrub(row), span, id: ++this.#lastId, at: this.#bench.clock.wall() };
    this.#rows.push(added);
    if (this.#rows.length > MAX_CHAT_ROWS) this.#rows.shift();
    this.#emitRows([added]);
  }

  /** Errors about unknown tools use the model's names (`shop__refund`). Converts them to the names of scripts (`shop.refund`). */
  #inScriptNames(row: Omit<ChatRow, 'id' | 'at'>): Omit<ChatRow, 'id' | 'at'> {
    if (row.isError !== true || row.act !== undefined || this.#configured !== undefined) return row;
    const labels = [...this.#bench.host.servers.keys()];
    return { ...row, text: labels.reduce((text, label) => text.replaceAll(`${label}__`, `${label}.`), row.text) };
  }

  /** Masks the secrets of all servers: a model can repeat texts of any of them. */
  #scrub<T>(row: T): T {
    return this.#bench.scrub('', row);
  }

  #emitRows(rows: readonly ChatRow[], more: { readonly isNew?: true } = {}): void {
    this.#bench.feed.emit('chat', { rows, running: this.#running !== undefined, ...more });
  }
}

function rowOf(event: AgentEvent): Omit<ChatRow, 'id' | 'at'> {
  const { type } = event;
  if (type === 'error') return { type, text: event.error.message };
  if (type === 'usage') return { type, text: `${event.inputTokens} tokens in, ${event.outputTokens} out` };
  if (type === 'done')
    return {
      type,
      text: event.limit === undefined ? event.stopReason : `stopped: limit of ${event.limit} reached`,
    };
  if (type === 'text') return { type, text: event.text };
  const { name } = event;
  if (type === 'denied') return { type, name, text: event.why };
  if (type === 'progress')
    return {
      type,
      name,
      text: event.message ?? `${event.progress}${event.total === undefined ? '' : ` of ${event.total}`}`,
    };
  if (type === 'tool-result')
    return {
      type,
      name,
      text: event.text,
      isError: event.isError,
      ...(event.act === undefined ? {} : { act: event.act }),
    };
  return { type, name, text: '', arguments: event.arguments };
}
