/** A server with task tools, and callers that use either form of tasks. */
import 'ajv/dist/2020.js';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import type { TaskStore } from '../../src/model/task-record.ts';
import { nextTurn } from '../../src/peer/runtime.ts';
import type { Context } from '../../src/server/context.ts';
import type { Part } from '../../src/server/part.ts';
import { createServer } from '../../src/server/server.ts';
import type { Server } from '../../src/server/server-interface.ts';
import type { ServerTaskOptions, TaskSpec } from '../../src/server/tasks/task-options.ts';
import { tool } from '../../src/server/tool.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/virtual-clock.ts';
import '../../src/revisions/asks/replayed.ts';
import '../../src/revisions/tasks/augmented.ts';
import '../../src/revisions/tasks/handles.ts';
import '../../src/schema/own-checker.ts';
import '../../src/server/questions.ts';
import '../../src/server/tasks/service.ts';
import { open, type Raw, type RawOptions } from './raw.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
export const declared: JsonObject = { elicitation: { form: {}, url: {} }, extensions: { [TASKS]: {} } };
export const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

type Run = (ctx: Context) => unknown;
export interface TaskWorldOptions extends ServerTaskOptions {
  readonly task?: true | 'required' | TaskSpec;
  readonly effects?: 'read' | 'write';
  readonly scopes?: readonly string[];
  readonly clock?: VirtualClock;
  readonly parts?: readonly Part[];
}

export interface TaskWorld {
  readonly server: Server;
  readonly clock: VirtualClock;
  readonly warnings: string[];
  readonly errors: unknown[];
}

/** A server with one tool, `work`. */
export function taskWorld(run: Run, options: TaskWorldOptions = {}): TaskWorld {
  const { task = true, effects = 'read', scopes = [], clock = virtualClock(), parts = [], ...tasks } = options;
  const warnings: string[] = [];
  const errors: unknown[] = [];
  const work = tool({
    name: 'work',
    description: 'Works',
    effects,
    task,
    scopes,
    // What it returns is checked at run time.
    run: (_input, ctx) => run(ctx) as string | Promise<string>,
  });
  const server = createServer({
    name: 'yard',
    version: '1',
    parts: [work, ...parts],
    tasks,
    clock,
    onWarning: (warning) => void warnings.push(warning),
    onError: (error) => void errors.push(error),
  });
  return { server, clock, warnings, errors };
}

/** A caller that uses the extension form. */
export const handleCaller = (server: Server, options: RawOptions = {}): Promise<Raw> =>
  open(server, { capabilities: declared, ...options });

export const callerNamed = (subject: string, scopes: readonly string[] = [], expiresAt?: number): AuthInfo => ({
  issuer: 'https://issuer.example',
  subject,
  scopes,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

/** Pending digests. Threads compute them, so counting turns is not enough on a busy machine. */
const digesting = new Set<Promise<unknown>>();
const { subtle } = crypto;
const digest = subtle.digest.bind(subtle);
subtle.digest = (algorithm, data) => {
  const made = digest(algorithm, data);
  digesting.add(made);
  const end = (): void => void digesting.delete(made);
  made.then(end, end);
  return made;
};

/** Waits for event-loop turns and pending digests. */
export async function settle(turns = 60): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await nextTurn();
    await Promise.allSettled(digesting);
  }
}

export async function begin(raw: Raw, params: JsonObject = {}): Promise<string> {
  const result = await raw.result('tools/call', { name: 'work', ...params });
  const { task } = result as { task?: JsonObject }; // one form nests it
  await settle();
  return String((task ?? result)['taskId']);
}

export const get = (raw: Raw, taskId: string): Promise<JsonObject> => raw.result('tasks/get', { taskId });

export async function update(raw: Raw, taskId: string, inputResponses: JsonObject): Promise<void> {
  await raw.result('tasks/update', { taskId, inputResponses });
  await settle();
}

export const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content });
export const yes: JsonObject = accept({ confirm: true });

/** The text of a finished task. */
export function textOfTask(state: JsonObject): string {
  const { result, error } = state as { result?: { content: { text: string }[] }; error?: { message: string } }; // a response to tasks/get
  return error?.message ?? result?.content[0]?.text ?? '';
}

/** A store as seen by a process that can crash: after `die`, it does nothing and never answers. */
export function mortalStore(store: TaskStore): TaskStore & { die(): void } {
  let isDead = false;
  const alive =
    <A extends readonly unknown[], T>(run: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      isDead ? new Promise(() => undefined) : run(...args);
  return {
    create: alive((task) => store.create(task)),
    get: alive((id) => store.get(id)),
    put: alive((task, expected) => store.put(task, expected)),
    renew: alive((id, holder, until) => store.renew(id, holder, until)),
    list: alive((owner, after, limit) => store.list(owner, after, limit)),
    due: alive((now, limit) => store.due(now, limit)),
    count: alive((owner) => store.count(owner)),
    delete: alive((id) => store.delete(id)),
    die() {
      isDead = true;
    },
  };
}
