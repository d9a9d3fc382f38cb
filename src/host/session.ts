/** A session as its user sees it: a conversation with one user, whose every act goes through the gate. */
import type { PromptResult, ReadResult, RequestOptions } from '../client/index.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Completion, CompletionReference } from '../model/parts.ts';
import type { ToolResult } from './act/tool-result.ts';
import type { AgentRun } from './agent/agent-run.ts';
import type { RunOptions } from './agent/run.ts';
import type { View } from './apps/app-types.ts';
import type { CatalogueTool } from './catalogue/catalogue-tool.ts';
import type { CatalogueView, ToolsOptions } from './catalogue/catalogue-view.ts';
import type { Results } from './catalogue/results.ts';
import type { ModelMessage } from './models/model.ts';
import type { ListedSkill, SessionSkill } from './skills/session-skill.ts';
import type { StartedTask } from './tasks/host-task.ts';

/** Who works, and how much of a model's context tools may take. */
export interface SessionOptions {
  /** Who acts. Rules and the audit name them. */
  readonly principal?: string;
  /** How many tokens of a model's context definitions of tools may take; above that it searches for them. 10,000. */
  readonly toolTokens?: number;
}

/** One user's work with all servers. What `host.session` makes. */
export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly principal: string;
  /** What there is to choose from: tools, prompts, resources, and why something may be missing. */
  readonly catalogue: CatalogueView;
  /** Results that were too long for the model; gone with the session. */
  readonly results: Results;
  /** What was said in this session so far. No server gets to see it. */
  readonly messages: readonly ModelMessage[];
  /**
   * The tools of all servers, but for those that the rules deny; with `budgetTokens`, what goes to a model. Warns, once, of a server
   * whose tools are missing; `catalogue.problems()` has every reason.
   */
  tools(options?: ToolsOptions): Promise<readonly CatalogueTool[]>;
  /** Calls a tool by its name in the catalogue, such as `shop.refund`. Throws `MCP_DENIED` when it must not be called. */
  call(name: string, args?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
  /**
   * Calls a tool without waiting for its result; needs `tasks: true`. The host follows it, so that its questions are answered, until
   * it ends or the session does.
   */
  start(name: string, args?: JsonObject, options?: RequestOptions): Promise<StartedTask>;
  /** Reads a resource of a server, under exactly this URI. */
  read(server: string, uri: string, options?: RequestOptions): Promise<ReadResult>;
  /** The messages of a prompt, by its name in the catalogue. */
  prompt(name: string, args?: Readonly<Record<string, string>>, options?: RequestOptions): Promise<PromptResult>;
  /** Suggestions for an argument of a prompt or a variable of a template. A later request for the same field cancels the earlier one. */
  complete(server: string, ref: CompletionReference, options: SessionCompleteOptions): Promise<Completion>;
  /** Sends a request of an extension to a server, and returns its result as it came. The methods of the protocol have functions of their own. */
  request(server: string, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** The skills that servers list; none of their files is read. Servers can have others: `skill` takes any URI. */
  skills(options?: RequestOptions): Promise<readonly ListedSkill[]>;
  /**
   * Loads a skill: the user is asked, then `SKILL.md` is read and verified. It is in use until it is released or the session ends.
   * Throws `MCP_SKILL_CHANGED` where its server describes it differently by then.
   */
  skill(server: string, uri: string, options?: RequestOptions): Promise<SessionSkill>;
  /**
   * Reads the view of a tool, by its name in the catalogue, and compares it with the lock. Needs `apps` of the host. What the view
   * asks for later goes through the gate.
   */
  openView(tool: string, options?: RequestOptions): Promise<View>;
  /**
   * Has the host's model work on a prompt with the tools of all servers, and yields what happens. Leaving the loop cancels what is
   * in progress. Awaited instead of read, it works to its end: the last event is returned, and an error is thrown. The conversation is kept: the next prompt continues it. With `tasks: true`, a call that takes longer than 20 seconds
   * as a task works on, also after the run, and the model can come back for it.
   */
  run(prompt: string, options?: RunOptions): AgentRun;
  /** Cancels what is in progress, and forgets the approvals that were given for this session. */
  close(): Promise<void>;
}

/** Settings of one completion. */
export interface SessionCompleteOptions extends RequestOptions {
  readonly argument: { readonly name: string; readonly value: string };
  /** The arguments that are already filled in. */
  readonly context?: Readonly<Record<string, string>>;
}
