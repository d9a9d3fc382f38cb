/** Opens views of tools (MCP Apps): each has its own sandbox origin, a bridge of the host, and the steps of its lifecycle. */
import { randomUUID } from 'node:crypto';
import { badDefinition, McpError, messageOf } from '../errors.ts';
import type { SandboxServer } from '../extensions/apps/sandbox-types.ts';
import { viewPermissions, viewPolicy } from '../extensions/apps/view-policy.ts';
import type { ToolResult, View, ViewBridge } from '../host/index.ts';
import { isObject, isRequest, isResponse, type JsonObject, type Message, type RpcRequest } from '../jsonrpc/message.ts';
import { faultOf } from '../jsonrpc/read.ts';
import type { CallToolResult } from '../model/parts.ts';
import type { VerbParams } from './protocol.ts';
import { type ViewRow, type ViewStep, type ViewStepRow, viewSteps } from './protocol-rows.ts';
import { findTool } from './tool-calls.ts';
import type { Workbench } from './workbench.ts';

/** Beyond this, the oldest view is closed. */
const MAX_OPEN_VIEWS = 32;
/** Open requests of one view that are tracked; the timeline shows no end of further ones. */
const MAX_OPEN = 256;

const stepOf: ReadonlyMap<unknown, ViewStep> = new Map<unknown, ViewStep>([
  ['ui/initialize', 'ui/initialize'],
  ['ui/notifications/initialized', 'initialized'],
  ['ui/notifications/tool-input', 'input'],
  ['ui/notifications/tool-result', 'result'],
]);

interface OpenView {
  row: ViewRow;
  readonly from: number;
  bridge?: ViewBridge;
  /** Passes a message of the frame to the bridge. */
  deliver?: (message: unknown) => void;
  close?: () => void;
  isClosing: boolean;
  /** Open requests of both sides, by side and id. */
  readonly open: Map<string, { readonly request: RpcRequest; readonly at: number }>;
}

export class WorkbenchViews {
  readonly #bench: Workbench;
  readonly #sandbox: SandboxServer;
  readonly #views: Map<string, OpenView> = new Map();
  /** The origin of the page. Set when the server listens. */
  origin = '';

  constructor(bench: Workbench, sandbox: SandboxServer) {
    this.#bench = bench;
    this.#sandbox = sandbox;
  }

  list(): readonly ViewRow[] {
    return [...this.#views.values()].map(({ row }) => row);
  }

  async open({ server, tool, arguments: args = {}, call, context = {} }: VerbParams<'app.open'>): Promise<ViewRow> {
    await this.#bench.servers.ensureReady(server);
    const found = await findTool(this.#bench, server, tool);
    const name = found?.name ?? `${server}.${tool}`;
    const view = randomUUID();
    const steps = viewSteps.map((step): ViewStepRow => ({ step, state: 'waiting' }));
    const opened: OpenView = {
      open: new Map(),
      row: { view, server, tool, uri: '', steps, granted: [], dropped: [] },
      from: this.#bench.clock.wall(),
      isClosing: false,
    };
    this.#views.set(view, opened);
    this.#closeOldest();
    const page = await this.#read(opened, name);
    // It can be closed while it is read.
    if (page === undefined || opened.isClosing || !this.#views.has(view)) return opened.row;
    this.#serve(opened, page);
    const made = call === undefined ? undefined : this.#callOf(call);
    const run = (): Promise<ToolResult> =>
      this.#bench.options.runTyped({ server, name: tool }, () => this.#bench.session.call(name, args));
    const result = made === undefined ? run() : Promise.resolve(made.result);
    result.catch((error: unknown) => this.step(view, 'result', 'failed', messageOf(error)));
    this.#connect(opened, page, { arguments: made?.arguments ?? args, result, context });
    return opened.row;
  }

  /** An earlier call from the timeline, masked. */
  #callOf(ref: string): { readonly arguments: JsonObject; readonly result: ToolResult } | undefined {
    const { history } = this.#bench;
    const span = history.spansOf(ref).findLast(({ method }) => method === 'tools/call');
    const result = span === undefined ? undefined : history.response(span.id)?.['result'];
    if (span === undefined || !isObject(result) || !Array.isArray(result['content'])) return undefined;
    const { params } = JSON.parse(history.text(span.id)) as { readonly params: { readonly arguments?: JsonObject } }; // of `tools/call`
    const { content, structuredContent: data, isError = false } = result as unknown as CallToolResult; // `content` is checked
    return {
      arguments: params.arguments ?? {},
      result: { content, data, isError, text: '', meta: {}, act: span.act ?? '' },
    };
  }

  message(view: string, message: JsonObject): void {
    const opened = this.#openView(view);
    this.#addToHistory(opened, '<', message);
    const step = stepOf.get(message['method']);
    if (step !== undefined) this.step(view, step, 'passed');
    opened.deliver?.(message);
  }

  context(view: string, context: JsonObject): void {
    this.#openView(view).bridge?.contextChanged(context);
  }

  async close(view: string): Promise<void> {
    const opened = this.#openView(view);
    opened.isClosing = true;
    await opened.bridge?.teardown('the workbench closed it');
    opened.close?.();
    this.#views.delete(view);
    if (opened.bridge === undefined) this.#change(opened, { ended: 'teardown' });
  }

  step(view: string, step: ViewStep, state: ViewStepRow['state'], detail?: string): void {
    const opened = this.#views.get(view);
    if (opened === undefined) return;
    const ms = this.#bench.clock.wall() - opened.from;
    const changed = { step, state, ms, detail: this.#bench.scrub(opened.row.server, detail) };
    const steps = opened.row.steps.map((one) => (one.step === step ? changed : one));
    this.#change(opened, { steps });
  }

  /** Reads the view's HTML. On failure, records the failed step and returns undefined. */
  async #read(opened: OpenView, name: string): Promise<View | undefined> {
    const { view } = opened.row;
    try {
      const page = await this.#bench.session.openView(name);
      this.step(view, 'read', 'passed', page.uri);
      this.step(view, 'type', 'passed');
      return page;
    } catch (error) {
      const isType = error instanceof McpError && error.code === 'MCP_BAD_RESULT';
      if (isType) this.step(view, 'read', 'passed');
      this.step(view, isType ? 'type' : 'read', 'failed', messageOf(error));
      return undefined;
    }
  }

  #serve(opened: OpenView, { html, settings, dropped, uri }: View): void {
    const { view } = opened.row;
    try {
      const { proxyUrl, plainUrl, allow, close } = this.#sandbox.open({ html, settings }, this.origin);
      opened.close = close;
      const granted = viewPermissions(settings)
        .allow.split('; ')
        .filter((one) => one !== '');
      const frame = { proxyUrl, plainUrl, allow };
      this.#change(opened, { uri, dropped, granted, policy: viewPolicy(settings, []), frame });
      const ignored = dropped.length === 0 ? undefined : `ignored, not valid: ${dropped.join(', ')}`;
      this.step(view, 'policy', 'passed', ignored);
    } catch (error) {
      this.step(view, 'policy', 'failed', messageOf(error));
    }
  }

  #connect(
    opened: OpenView,
    page: View,
    shown: { readonly arguments: JsonObject; readonly result: Promise<ToolResult>; readonly context: JsonObject },
  ): void {
    if (opened.row.frame === undefined) return;
    const { view } = opened.row;
    const { context, ...call } = shown;
    const port = {
      send: (message: JsonObject) => {
        this.#addToHistory(opened, '>', message);
        const step = stepOf.get(message['method']);
        if (step !== undefined) this.step(view, step, 'passed');
        const { feed, large } = this.#bench;
        feed.emit('view.message', { view, message: large.shorten(message) as JsonObject }); // the message, or its reference
      },
      onMessage: (listener: (message: unknown) => void) => {
        opened.deliver = listener;
      },
      close: () => undefined,
    };
    const bridge = page.connect(port, { call, context, displayMode: async (mode) => mode });
    opened.bridge = bridge;
    void bridge.closed.then((why) => {
      if (why === 'no handshake')
        this.step(view, 'ui/initialize', 'failed', 'the view did not finish its handshake in time');
      this.#change(opened, { ended: why });
    });
  }

  /** Messages of a view get their own lane in the timeline. */
  #addToHistory({ row, open }: OpenView, side: '>' | '<', message: JsonObject): void {
    if (faultOf(message) !== undefined) return;
    const one = message as unknown as Message; // validated by `faultOf`
    const masked = this.#bench.scrub(row.server, one);
    const at = this.#bench.clock.wall();
    const asked = isResponse(one) ? open.get(`${side === '>' ? '<' : '>'} ${one.id}`) : undefined;
    const answers = asked && { request: asked.request, ms: at - asked.at };
    if (isResponse(one)) open.delete(`${side === '>' ? '<' : '>'} ${one.id}`);
    if (isRequest(one) && open.size < MAX_OPEN) open.set(`${side} ${one.id}`, { request: one, at });
    this.#bench.history.add({ server: `${row.server} view`, at, side, message: one, masked, answers });
  }

  #change(opened: OpenView, changes: Partial<ViewRow>): void {
    opened.row = { ...opened.row, ...changes };
    this.#bench.feed.emit('view', { view: opened.row });
  }

  #openView(view: string): OpenView {
    const opened = this.#views.get(view);
    if (opened === undefined) throw badDefinition('The view', 'already closed; open it again');
    return opened;
  }

  #closeOldest(): void {
    const open = [...this.#views.values()].filter(({ isClosing }) => !isClosing);
    const [oldest] = open;
    if (open.length > MAX_OPEN_VIEWS && oldest !== undefined) void this.close(oldest.row.view);
  }
}
