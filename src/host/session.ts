/** The `Session` interface: a conversation with one user, whose every act goes through the gate. */
import type { ReadResult, RequestOptions } from '../client/index.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Completion, CompletionReference } from '../model/parts.ts';
import type { ToolResult } from './act/tool-result.ts';
import type { AgentRun } from './agent/agent-run.ts';
import type { RunOptions } from './agent/run.ts';
import type { RunInput, SessionPrompt } from './agent/run-input.ts';
import type { View } from './apps/app-types.ts';
import type { CatalogueTool } from './catalogue/catalogue-tool.ts';
import type { CatalogueView, ToolsOptions } from './catalogue/catalogue-view.ts';
import type { Results } from './catalogue/results.ts';
import type { ModelMessage } from './models/model.ts';
import type { ListedSkill, SessionSkill } from './skills/session-skill.ts';
import type { StartedTask } from './tasks/host-task.ts';

/** Options of `host.session`. */
export interface SessionOptions {
  /** The user, for rules and the audit log. Default: empty. */
  readonly principal?: string;
  /** Token budget for tool definitions in a model's context; above it, the model searches for tools. Default: 10,000. */
  readonly toolTokens?: number;
}

/** One user's work with all servers. Created by `host.session`. */
export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly principal: string;
  /** Tools, prompts and resources of all servers, and why some may be missing. */
  readonly catalogue: CatalogueView;
  /** Tool results that were too long for the model. Discarded when the session closes. */
  readonly results: Results;
  /** The conversation with the model so far. It is never sent to a server. */
  readonly messages: readonly ModelMessage[];
  /**
   * The tools of all servers, except those that the rules deny; with `budgetTokens`, the selection for a model. Warns once about each
   * server whose tools are missing; `catalogue.problems()` has all reasons.
   */
  tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
  /** Calls a tool by its name in the catalogue, such as `shop.refund`. Throws `MCP_DENIED` if a rule or the user denies the call. */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
  /**
   * Starts a tool call without waiting for its result; needs `tasks: true`. The host answers the questions of the task until the task
   * ends or the session closes.
   */
  start(name: string, args?: JsonObject, options?: RequestOptions): Promise<StartedTask>;
  /** Reads a resource of a server by its exact URI. */
  read(server: string, uri: string, options?: RequestOptions): Promise<ReadResult>;
  /** Gets the messages of a prompt by its name in the catalogue. */
  prompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<SessionPrompt>;
  /** Suggests values for an argument of a prompt or a variable of a template. A later request for the same field cancels the earlier one. */
  complete(server: string, ref: CompletionReference, options: SessionCompleteOptions): Promise<Completion>;
  /** Sends an extension request to a server, and returns its unchanged result. Rejects methods of the protocol, which have their own functions. */
  request(server: string, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Lists the skills of servers without reading their files. Servers can have unlisted skills: `skill` takes any URI. */
  skills(options?: RequestOptions): Promise<readonly ListedSkill[]>;
  /**
   * Loads a skill: asks the user, then reads and verifies `SKILL.md`. The skill is in use until it is released or the session closes.
   * Throws `MCP_SKILL_CHANGED` if the server changed the skill in the meantime.
   */
  skill(server: string, uri: string, options?: RequestOptions): Promise<SessionSkill>;
  /**
   * Reads the view (MCP App) of a tool, by the tool's name in the catalogue, and compares it with the lock. Needs the host's option
   * `apps`. All later requests of the view go through the gate.
   */
  openView(tool: string, options?: RequestOptions): Promise<View>;
  /**
   * Runs an agent loop: the host's model works on text, a prompt of a server or messages, with the tools of all servers. Iterate over the run for its events; leaving
   * the loop cancels it. Or await it: it returns the last event, or throws the error. The next run continues the conversation. With
   * `tasks: true`, a call that runs as a task for more than 20 seconds continues in the background, also after the run, and the model can
   * get its result later.
   */
  run(input: RunInput, options?: RunOptions): AgentRun;
  /** Cancels running work, and drops the approvals that were given for this session. */
  close(): Promise<void>;
}

/** Options of `session.complete`. */
export interface SessionCompleteOptions extends RequestOptions {
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that are already filled in. */
  readonly context?: Readonly<Record<string, string>>;
}
