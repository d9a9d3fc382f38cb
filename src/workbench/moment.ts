/** Derives what a client knows after the first n messages of a recording. */
import {
  isFailure,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../model/names.ts';
import { textOfValue } from '../model/text-of-value.ts';
import type { CassetteLine } from '../recording/recording.ts';
import type { MomentState } from './protocol-timeline.ts';

/** Maximum length of each list and map that a server can grow. */
const MAX_ITEMS = 10_000;
/** Lines between two cached states of a recording. */
const SNAPSHOT_LINES = 1_000;

interface OpenRequest {
  readonly request: RpcRequest;
  readonly side: '>' | '<';
  readonly line: number;
}
const lists = { 'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/list': 'resources' } as const;
const questionMethods: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

export class Moment {
  #lines = 0;
  #errors = 0;
  #revision: string | undefined;
  #names: Readonly<Record<'tools' | 'prompts' | 'resources', readonly string[]>> = {
    tools: [],
    prompts: [],
    resources: [],
  };
  #open: Map<string, OpenRequest> = new Map();
  #questions: Map<string, MomentState['questions'][number]> = new Map();
  #tasks: Map<string, MomentState['tasks'][number]> = new Map();

  get lines(): number {
    return this.#lines;
  }

  get state(): MomentState {
    return {
      revision: this.#revision,
      ...this.#names,
      open: [...this.#open.values()].map(({ request: { id, method }, side, line }) => ({
        id: textOfValue(id),
        side,
        method,
        line,
      })),
      questions: [...this.#questions.values()],
      tasks: [...this.#tasks.values()],
      counts: { messages: this.#lines, errors: this.#errors },
    };
  }

  copy(): Moment {
    const other = new Moment();
    other.#lines = this.#lines;
    other.#errors = this.#errors;
    other.#revision = this.#revision;
    other.#names = this.#names;
    other.#open = new Map(this.#open);
    other.#questions = new Map(this.#questions);
    other.#tasks = new Map(this.#tasks);
    return other;
  }

  add({ side, message }: Pick<CassetteLine, 'side' | 'message'>): void {
    const line = ++this.#lines;
    if (isResponse(message)) this.#respond(side, message, line);
    else if (isRequest(message)) this.#request(side, message, line);
    else this.#noteTask(message.params, line);
  }

  #request(side: '>' | '<', request: RpcRequest, line: number): void {
    const { method, params = {} } = request;
    if (this.#open.size < MAX_ITEMS) this.#open.set(keyOf(side, request.id), { request, side, line });
    const meta = params['_meta'];
    const version = isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
    if (side === '>' && typeof version === 'string') this.#revision = version;
    if (side === '<' && questionMethods.has(method))
      this.#ask(keyOf(side, request.id), { method, message: textOf(params), line });
    // The next round of a call answers the questions of the previous round.
    if (side === '>' && params['inputResponses'] !== undefined)
      for (const key of this.#questions.keys())
        if (key.startsWith(`round ${subjectKey(request)} `)) this.#questions.delete(key);
  }

  #respond(side: '>' | '<', response: RpcResponse, line: number): void {
    const key = keyOf(side === '>' ? '<' : '>', response.id);
    const request = this.#open.get(key)?.request;
    this.#open.delete(key);
    this.#questions.delete(key);
    if (isFailure(response)) {
      this.#errors++;
      return;
    }
    const { result } = response;
    if (result['isError'] === true) this.#errors++;
    this.#noteTask(result, line);
    if (request === undefined || side !== '<') return;
    if (request.method === 'initialize' && typeof result['protocolVersion'] === 'string')
      this.#revision = result['protocolVersion'];
    this.#noteList(request, result);
    const asked = result['inputRequests'];
    if (!isObject(asked)) return;
    for (const [name, one] of Object.entries(asked)) {
      const { method, params } = isObject(one) ? one : {};
      this.#ask(`round ${subjectKey(request)} ${name}`, { method: textOfValue(method), message: textOf(params), line });
    }
  }

  #ask(key: string, question: MomentState['questions'][number]): void {
    if (this.#questions.size < MAX_ITEMS) this.#questions.set(key, question);
  }

  #noteList({ method, params }: RpcRequest, result: JsonObject): void {
    const kind = Object.hasOwn(lists, method) ? lists[method as keyof typeof lists] : undefined; // one of its keys
    const items = kind === undefined ? undefined : result[kind];
    if (kind === undefined || !Array.isArray(items)) return;
    const names = items.flatMap((one: unknown) =>
      isObject(one) ? [textOfValue(one[kind === 'resources' ? 'uri' : 'name'])] : [],
    );
    const before = params?.['cursor'] === undefined ? [] : this.#names[kind];
    this.#names = { ...this.#names, [kind]: [...before, ...names].slice(0, MAX_ITEMS) };
  }

  #noteTask(from: unknown, line: number): void {
    for (const one of isObject(from) ? [from, from['task']] : []) {
      if (!isObject(one) || typeof one['taskId'] !== 'string' || typeof one['status'] !== 'string') continue;
      const { taskId, status } = one;
      if (this.#tasks.size < MAX_ITEMS) this.#tasks.set(taskId, { taskId, status, line });
    }
  }
}

/** Returns the state after any number of lines, starting from the nearest cached snapshot. */
export class RecordedMoments {
  readonly #lines: readonly CassetteLine[];
  readonly #snapshots: Moment[] = [new Moment()];

  constructor(lines: readonly CassetteLine[]) {
    this.#lines = lines;
  }

  /** The state after the first `count` lines. */
  at(count: number): MomentState {
    const nearest = Math.min(Math.floor(count / SNAPSHOT_LINES), this.#snapshots.length - 1);
    const moment = this.#snapshots[nearest]?.copy() ?? new Moment();
    for (const line of this.#lines.slice(moment.lines, count)) {
      moment.add(line);
      if (moment.lines === this.#snapshots.length * SNAPSHOT_LINES) this.#snapshots.push(moment.copy());
    }
    return moment.state;
  }
}

const keyOf = (side: '>' | '<', id: unknown): string => `${side} ${JSON.stringify(id)}`;
const subjectKey = ({ method, params = {} }: RpcRequest): string =>
  JSON.stringify([method, params['name'] ?? params['uri'] ?? null]);
const textOf = (params: unknown): string => (isObject(params) ? textOfValue(params['message'] ?? '') : '');
