/** Emits the events of one tool call of the model: one `tool-start`, one end event (`tool-result` or `denied`), and nothing after it. */
import type { Progress } from '../../client/index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Verdict } from '../act/rule.ts';
import { catalogueName } from '../catalogue/names.ts';
import type { ToolUse } from './agent-call.ts';
import type { AgentEvent } from './events.ts';

export class ToolCallEvents {
  readonly #id: string;
  readonly #emit: (event: AgentEvent) => void;
  #name: string;
  #arguments: JsonObject;
  #state: 'new' | 'started' | 'ended' = 'new';

  constructor({ id, name, input }: ToolUse, emit: (event: AgentEvent) => void) {
    this.#id = id;
    this.#emit = emit;
    this.#name = catalogueName(name);
    // An application's own `Model` may return anything.
    this.#arguments = isObject(input) ? input : {};
  }

  /** Sets the server's tool, which the model can call by other names. */
  setTool(name: string, args: JsonObject): void {
    this.#name = name;
    this.#arguments = args;
  }

  onVerdict(verdict: Verdict): void {
    if (this.#state === 'ended') return;
    if (verdict === 'ask') this.#emit({ type: 'approval', id: this.#id, name: this.#name, arguments: this.#arguments });
    this.start();
  }

  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#emit({ type: 'tool-start', id: this.#id, name: this.#name, arguments: this.#arguments });
  }

  onProgress(progress: Progress): void {
    if (this.#state === 'started') this.#emit({ type: 'progress', id: this.#id, name: this.#name, ...progress });
  }

  onResult(text: string, isError: boolean, act?: string): void {
    const result = { type: 'tool-result', id: this.#id, name: this.#name, text, isError } as const;
    this.#end(act === undefined ? result : { ...result, act });
  }

  onDenied(denial: { readonly why: string; readonly rule: string; readonly act: string }): void {
    this.#end({ type: 'denied', id: this.#id, name: this.#name, ...denial });
  }

  /** Ends a call that was started when its run is aborted: the run does not wait for the server. */
  onAbort(): void {
    if (this.#state === 'started') this.onResult('The run ended before this call. Check whether it took effect', true);
    this.#state = 'ended';
  }

  #end(event: AgentEvent): void {
    if (this.#state === 'ended') return;
    this.start();
    this.#state = 'ended';
    this.#emit(event);
  }
}
