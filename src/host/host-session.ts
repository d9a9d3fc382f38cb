/** Implements `Session`: every act goes through the gate on behalf of the user. */
import { randomUUID } from 'node:crypto';
import type { Client, ReadResult, RequestOptions } from '../client/index.ts';
import { badDefinition } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { checkObject, checkText } from '../model/check-argument.ts';
import type { Completion, CompletionReference } from '../model/parts.ts';
import { printable } from '../model/printable.ts';
import { setNewest } from '../peer/set-newest.ts';
import { joinSignals } from '../peer/wait.ts';
import type { Act } from './act/act.ts';
import type { ToolResult } from './act/tool-result.ts';
import type { AgentCallOptions, AgentCallResult, WorkingCall } from './agent/agent-call.ts';
import { type AgentRun, AgentRunEvents } from './agent/agent-run.ts';
import { ModelConversation } from './agent/conversation.ts';
import type { AgentEvent } from './agent/events.ts';
import { ModelTools } from './agent/model-tools.ts';
import { type RunOptions, runAgent } from './agent/run.ts';
import { type RunInput, type SessionPrompt, toModelMessages } from './agent/run-input.ts';
import type { AppsOptions, View } from './apps/app-types.ts';
import type { ViewSession } from './apps/view-session.ts';
import type { CatalogueTool } from './catalogue/catalogue-tool.ts';
import type { ToolsOptions } from './catalogue/catalogue-view.ts';
import { withoutHopMeta } from './catalogue/hop-meta.ts';
import { SessionResults } from './catalogue/results.ts';
import { SessionCatalogue } from './catalogue/session-catalogue.ts';
import { Suggestions } from './catalogue/suggestions.ts';
import { checkRun } from './check-host-options.ts';
import type { Permit } from './gate/gate.ts';
import type { HostSessionContext } from './host-session-context.ts';
import { isExtensionMethod } from './lease/act-messages.ts';
import type { ModelMessage } from './models/model.ts';
import type { Session, SessionCompleteOptions, SessionOptions } from './session.ts';
import { SessionActs } from './session-acts/session-acts.ts';
import { SessionExtensions } from './session-extensions.ts';
import type { ListedSkill, SessionSkill } from './skills/session-skill.ts';
import type { StartedTask } from './tasks/host-task.ts';
import type { HostTicket } from './tasks/tickets.ts';

/** Views whose context the model gets. Beyond this, the oldest is dropped. */
const MAX_VIEW_CONTEXTS = 20;

export class HostSession implements Session {
  readonly id: string = randomUUID();
  readonly principal: string;
  readonly catalogue: SessionCatalogue;
  readonly results: SessionResults = new SessionResults();
  readonly #modelTools: ModelTools;
  readonly #context: HostSessionContext;
  readonly #acts: SessionActs;
  readonly #extensions: SessionExtensions;
  readonly #suggestions: Suggestions;
  readonly #conversation: ModelConversation = new ModelConversation();
  /** The context that each view has set for the model. */
  readonly #viewContexts: Map<string, string> = new Map();

  constructor(context: HostSessionContext, { principal = '', toolTokens }: SessionOptions) {
    this.#context = context;
    this.principal = principal;
    const { catalogue, visibilityOf, views, gate, activeCalls } = context;
    this.catalogue = new SessionCatalogue({ catalogue, visibilityOf, views, principal, session: this.id });
    const skillsInUse = (): NonNullable<Act['under']> => this.#extensions.skillsInUse;
    this.#acts = new SessionActs({ gate, activeCalls, session: this, skillsInUse });
    this.#extensions = new SessionExtensions(context, this, this.#acts);
    this.#suggestions = new Suggestions(context.clock);
    const hostTools = [
      ...(context.skills === undefined ? [] : [() => this.#extensions.skillTools()]),
      ...(context.tickets === undefined ? [] : [() => this.#extensions.modelTasks()]),
    ];
    this.#modelTools = new ModelTools({ catalogue: this.catalogue, results: this.results, toolTokens, hostTools });
  }

  tools(options: ToolsOptions = {}): Promise<readonly CatalogueTool[]> {
    return this.catalogue.toolsWithWarnings(options);
  }

  call(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<ToolResult> {
    return this.#call(name, args, options);
  }

  #call(name: string, args: JsonObject, { onVerdict, ...options }: Partial<AgentCallOptions>): Promise<ToolResult> {
    return this.#acts.run(options, async (given) => {
      checkText(name, 'session.call(name)', 'the name of a tool, such as shop.refund');
      const tool = await this.#context.catalogue.find('tool', name, given.signal);
      const act = this.#acts.actOn('tool', tool, args);
      const run = async (client: Client, permit: Permit): Promise<ToolResult> => {
        const answer = await client.attempt(tool.name, permit.arguments, { ...given, onTask: permit.noteTask });
        return { ...withoutHopMeta(answer), act: permit.id };
      };
      return this.#acts.pass(act, tool, { given, run, editable: true, onVerdict });
    });
  }

  async start(name: string, args: JsonObject = {}, options: RequestOptions = {}): Promise<StartedTask> {
    return (await this.#extensions.tasks()).start(name, args, options);
  }

  /** Resumes a task of this user. Calls `onEnd` when it ends, or could not be resumed. */
  async resume(ticket: HostTicket, onEnd: () => void): Promise<StartedTask> {
    return (await this.#extensions.tasks()).resume(ticket, onEnd);
  }

  read(server: string, uri: string, options: RequestOptions = {}): Promise<ReadResult> {
    return this.#acts.run(options, async (given) => {
      const found = this.#context.catalogue.findResource(server, uri);
      const act = this.#acts.actOn('resource', found, {});
      return this.#acts.pass(act, found, {
        given,
        run: async (client) => withoutHopMeta(await client.read(uri, given)),
      });
    });
  }

  prompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<SessionPrompt> {
    return this.#acts.run(options, async (given) => {
      checkText(name, 'session.prompt(name)', 'the name of a prompt, such as shop.apology');
      const found = await this.#context.catalogue.find('prompt', name, given.signal);
      const act = this.#acts.actOn('prompt', found, args);
      const run = async (client: Client, permit: Permit): Promise<SessionPrompt> => {
        const edited = permit.arguments as Record<string, string>; // the caller's arguments, or the user's edits of them
        return { ...withoutHopMeta(await client.getPrompt(found.name, edited, given)), name };
      };
      return this.#acts.pass(act, found, { given, run, editable: true });
    });
  }

  complete(server: string, ref: CompletionReference, options: SessionCompleteOptions): Promise<Completion> {
    checkObject(options, 'session.complete(server, ref, options)', 'an object with argument');
    const { argument, context, ...rest } = options;
    return this.#acts.run(rest, async (given) => {
      const found = this.#context.catalogue.findResource(server, ref.type === 'ref/prompt' ? ref.name : ref.uri);
      const sent = { argument, ...(context === undefined ? {} : { context: { arguments: context } }) };
      const act = this.#acts.actOn('completion', found, sent);
      return this.#suggestions.ask({ server, ref, argument, context }, given.signal, (signal) => {
        const asked = { ...given, signal, ...(context === undefined ? {} : { context }) };
        return this.#acts.pass(act, found, { given: asked, run: (client) => client.complete(ref, argument, asked) });
      });
    });
  }

  request(server: string, method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#acts.run(options, async (given) => {
      if (!isExtensionMethod(method)) {
        const why = 'only methods of extensions can be sent this way; use call, read, prompt or complete';
        throw badDefinition(`The method "${printable(method)}"`, why);
      }
      const found = this.#context.catalogue.findResource(server, method);
      const facts = { ...found.facts, claimed: 'unknown', openWorld: true } as const;
      const act = this.#acts.actOn('extension', { ...found, facts }, params);
      const run = (client: Client, permit: Permit): Promise<JsonObject> =>
        client.request(method, permit.arguments, given);
      return this.#acts.pass(act, found, { given, run, editable: true });
    });
  }

  async openView(tool: string, options: RequestOptions = {}): Promise<View> {
    const { apps } = this.#context;
    if (apps === undefined) throw badDefinition('This host', 'it shows no views; pass "apps" to createHost');
    const { openView } = await import('./apps/open-view.ts');
    return this.#acts.run(options, (given) => openView(this.#viewSession(apps), tool, given));
  }

  #viewSession(apps: AppsOptions): ViewSession {
    return {
      ...this.#context,
      apps,
      acts: this.#acts,
      setViewContext: (view, text) => {
        if (text === undefined) this.#viewContexts.delete(view);
        else setNewest(this.#viewContexts, view, text, MAX_VIEW_CONTEXTS);
      },
    };
  }

  skills(options: RequestOptions = {}): Promise<readonly ListedSkill[]> {
    return this.#acts.run(options, async (given) => (await this.#extensions.skills()).list(given));
  }

  skill(server: string, uri: string, options: RequestOptions = {}): Promise<SessionSkill> {
    return this.#acts.run(options, async (given) => (await this.#extensions.skills()).load(server, uri, given));
  }

  run(input: RunInput, options: RunOptions = {}): AgentRun {
    this.#acts.throwIfClosed();
    checkRun(input, options);
    const { model, clock } = this.#context;
    if (model === undefined) throw badDefinition('This host', 'it has no model; pass one to createHost');
    const context = {
      model,
      clock,
      tools: this.#modelTools,
      conversation: this.#conversation,
      viewContexts: () => [...this.#viewContexts.values()],
      call: (name: string, args: JsonObject, given: AgentCallOptions) => this.#callForModel(name, args, given),
    };
    const signal = joinSignals(this.#acts.closeSignal, options.signal);
    const messages = toModelMessages(input, this.results);
    return new AgentRunEvents(this.#withServersOpen(runAgent(context, messages, { ...options, signal })));
  }

  get messages(): readonly ModelMessage[] {
    return this.#conversation.messages;
  }

  async close(): Promise<void> {
    await this.#acts.close();
    this.results.clear();
    this.#context.endSession(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #callForModel(name: string, args: JsonObject, given: AgentCallOptions): Promise<AgentCallResult | WorkingCall> {
    if (this.#context.tickets === undefined) return this.#call(name, args, given);
    return (await this.#extensions.modelTasks()).call(name, args, given);
  }

  /** Prevents the idle timeout of servers while a model runs, because it can call any of them. */
  async *#withServersOpen(running: AsyncGenerator<AgentEvent, void>): AsyncGenerator<AgentEvent, void> {
    const release = this.#context.keepServersOpen();
    try {
      yield* running;
    } finally {
      release();
    }
  }
}
