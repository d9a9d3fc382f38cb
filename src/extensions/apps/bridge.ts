/** The host's side of a view: JSON-RPC over a port, in the page that contains the frame or in Node behind that page. */
import { badDefinition, RpcError } from '../../errors.ts';
import {
  defined,
  failure,
  type Id,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  request,
  success,
} from '../../jsonrpc/message.ts';
import { readableId } from '../../jsonrpc/read.ts';
import { CANCELLED } from '../../model/names.ts';
import type { CallToolResult } from '../../model/parts.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { Deferred, withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import { APPS_VERSION } from './apps-names.ts';
import type {
  BridgeOptions,
  DisplayMode,
  ViewBridge,
  ViewContext,
  ViewEnd,
  ViewHandlers,
  ViewPort,
  ViewState,
} from './bridge-types.ts';
import { REFUSED, ViewInbox } from './view-inbox.ts';
import { hostCapabilities, type ViewMethod, viewMethods } from './view-methods.ts';
import { ViewRequests } from './view-requests.ts';
import { SizeReports } from './view-size.ts';

export type * from './bridge-types.ts';

const HANDSHAKE_MS = 30_000;
const TEARDOWN_MS = 2_000;
const TEARDOWN_ID = 1;
const modes: readonly unknown[] = ['inline', 'fullscreen', 'pip'];

/** Opens a bridge, which listens immediately. Call it before the frame loads its URL. */
export const openBridge = (port: ViewPort, handlers: ViewHandlers, options: BridgeOptions): ViewBridge =>
  new PortBridge(port, handlers, options);

class PortBridge implements ViewBridge {
  readonly #end: Deferred<ViewEnd> = new Deferred();
  readonly closed: Promise<ViewEnd> = this.#end.promise;
  readonly #port: ViewPort;
  readonly #handlers: ViewHandlers;
  readonly #options: BridgeOptions;
  readonly #isDraft: boolean;
  readonly #clock: Clock;
  readonly #warnings: Warnings;
  readonly #inbox: ViewInbox;
  readonly #sizes: SizeReports;
  readonly #methods: ReadonlyMap<string, ViewMethod>;
  readonly #requests: ViewRequests;
  #state: ViewState = 'made';
  #context: ViewContext;
  /** Changes of the context that were not sent yet. */
  #changes: ViewContext = {};
  /** The display modes that the view declared, if any. */
  #declaredModes: readonly unknown[] | undefined;
  #partial: RpcNotification | undefined;
  #input: RpcNotification | undefined;
  #outcome: RpcNotification | undefined;
  #isOutcomeSent = false;
  #stopHandshake: () => void = () => undefined;
  #closing: Promise<void> | undefined;
  readonly #tornDown: Deferred<void> = new Deferred();

  constructor(port: ViewPort, handlers: ViewHandlers, options: BridgeOptions) {
    const { clock = systemClock, hostContext = {}, draft = false, onWarning } = options;
    this.#port = port;
    this.#handlers = handlers;
    this.#options = options;
    this.#isDraft = draft;
    this.#clock = clock;
    this.#context = hostContext;
    this.#warnings = new Warnings(onWarning);
    this.#inbox = new ViewInbox(clock);
    this.#sizes = new SizeReports(clock, (size) => this.#warnings.guard('resized', () => handlers.resized?.(size)));
    this.#methods = new Map([
      ...viewMethods(handlers, draft),
      ['ui/request-display-mode', (params, signal) => this.#switchMode(params, signal)],
    ]);
    this.#requests = new ViewRequests(this.#methods, (response) => this.#send(response));
    this.#awaitHandshake();
    port.onMessage((sent) => this.#receive(sent));
  }

  get state(): ViewState {
    return this.#state;
  }

  partialInput(args: JsonObject): void {
    this.#partial = notification('ui/notifications/tool-input-partial', { arguments: args });
    this.#flush();
  }

  input(args: JsonObject): void {
    if (this.#input !== undefined) throw badDefinition('The view', 'it has its input already');
    this.#input = notification('ui/notifications/tool-input', { arguments: args });
    this.#flush();
  }

  result(result: CallToolResult): void {
    this.#settleCall(notification('ui/notifications/tool-result', result));
  }

  cancelled(reason?: string): void {
    this.#settleCall(notification('ui/notifications/tool-cancelled', defined<JsonObject>({ reason })));
  }

  contextChanged(changes: ViewContext): void {
    const { displayMode } = changes;
    const isDeclared = displayMode === undefined || this.#supportsMode(displayMode);
    if (!isDeclared) this.#warnings.once(`The view did not declare the display mode ${displayMode}`);
    const changed = Object.entries(changes).filter(
      ([key, value]) =>
        (key !== 'displayMode' || isDeclared) && JSON.stringify(value) !== JSON.stringify(this.#context[key]),
    );
    this.#context = { ...this.#context, ...Object.fromEntries(changed) };
    this.#changes = { ...this.#changes, ...Object.fromEntries(changed) };
    this.#flush();
  }

  teardown(reason?: string): Promise<void> {
    this.#closing ??= this.#tearDown(reason);
    return this.#closing;
  }

  #settleCall(outcome: RpcNotification): void {
    if (this.#outcome !== undefined) throw badDefinition('The view', 'it has the outcome of its call already');
    this.#outcome = outcome;
    this.#flush();
  }

  #receive(sent: unknown): void {
    if (this.#state === 'gone') return;
    try {
      this.#dispatch(this.#inbox.read(sent));
    } catch (error) {
      const refused = error instanceof RpcError ? error : new RpcError(INVALID_REQUEST, 'Invalid request');
      this.#warnings.once(`A message of the view was rejected: ${refused.message}`);
      const id = idOfRequest(sent);
      if (id !== undefined) this.#send(failure(id, refused));
    }
  }

  #dispatch(message: Message): void {
    if (isResponse(message)) {
      if (message.id === TEARDOWN_ID && this.#state === 'leaving') this.#tornDown.resolve();
    } else if (!isRequest(message)) this.#onNotification(message);
    else if (message.method === 'ping') this.#send(success(message.id, {}));
    else if (message.method === 'ui/initialize' || message.method === 'initialize') this.#initialize(message);
    else this.#runRequest(message);
  }

  #runRequest(message: RpcRequest): void {
    if (this.#state === 'made' || this.#state === 'loading')
      throw new RpcError(INVALID_REQUEST, 'A view sends ui/initialize and ui/notifications/initialized first');
    this.#requests.run(message);
  }

  /** Handles the handshake. Runs again when the view reloads, and then resets the state that the view has lost. */
  #initialize({ id, params = {} }: RpcRequest): void {
    if (this.#state === 'leaving') throw new RpcError(REFUSED, 'The view is being closed');
    this.#requests.cancelAll();
    const { appCapabilities: able } = params;
    const declared = isObject(able) ? able['availableDisplayModes'] : undefined;
    this.#declaredModes = Array.isArray(declared) && declared.length > 0 ? declared : undefined;
    this.#state = 'loading';
    this.#changes = {};
    this.#isOutcomeSent = false;
    this.#awaitHandshake();
    const { hostInfo, sandbox } = this.#options;
    const capabilities = defined<JsonObject>({
      ...hostCapabilities(this.#methods, this.#isDraft),
      logging: this.#handlers.log && {},
      sandbox,
    });
    const hostContext = this.#context;
    const result = { protocolVersion: APPS_VERSION, hostInfo, hostCapabilities: capabilities, hostContext };
    this.#send(success(id, result));
  }

  #onNotification({ method, params = {} }: RpcNotification): void {
    if (method === 'ui/notifications/initialized' && this.#state === 'loading') {
      this.#stopHandshake();
      this.#state = 'initialized';
      this.#flush();
    }
    if (this.#state === 'made' || this.#state === 'loading') return;
    const { log, leave } = this.#handlers;
    if (method === 'ui/notifications/size-changed') this.#sizes.note(params);
    else if (method === 'notifications/message') this.#warnings.guard('log', () => log?.call(this.#handlers, params));
    else if (method === CANCELLED)
      this.#requests.cancel(params['requestId'] as Id); // an unknown or malformed id matches no request
    else if (method === 'ui/notifications/request-teardown' && this.#isDraft)
      this.#warnings.guard('leave', () => leave?.call(this.#handlers));
  }

  async #switchMode({ mode }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (!isDisplayMode(mode))
      throw new RpcError(INVALID_PARAMS, `Invalid params: "mode" is one of ${modes.join(', ')}`);
    const { availableDisplayModes = [] } = this.#context;
    if (availableDisplayModes.includes(mode) && this.#supportsMode(mode) && this.#handlers.displayMode !== undefined)
      this.contextChanged({ displayMode: await this.#handlers.displayMode(mode, signal) });
    return { mode: this.#context.displayMode ?? 'inline' };
  }

  #supportsMode(mode: DisplayMode): boolean {
    return this.#declaredModes === undefined || this.#declaredModes.includes(mode);
  }

  /** Sends queued notifications in order: changes of the context, input, outcome. */
  #flush(): void {
    if (this.#state !== 'initialized' && this.#state !== 'live') return;
    const changes = this.#changes;
    this.#changes = {};
    if (Object.keys(changes).length > 0) this.#send(notification('ui/notifications/host-context-changed', changes));
    if (this.#input === undefined) {
      if (this.#partial !== undefined) this.#send(this.#partial);
      this.#partial = undefined;
      return;
    }
    if (this.#state === 'initialized') {
      this.#state = 'live';
      this.#send(this.#input);
    }
    if (this.#outcome === undefined || this.#isOutcomeSent) return;
    this.#isOutcomeSent = true;
    this.#send(this.#outcome);
  }

  async #tearDown(reason: string | undefined): Promise<void> {
    const isReady = this.#state === 'initialized' || this.#state === 'live';
    if (this.#state === 'gone') return;
    this.#state = 'leaving';
    if (isReady) {
      const tornDown = withTimeout(TEARDOWN_MS, this.#clock, this.#tornDown.promise);
      this.#send(request(TEARDOWN_ID, 'ui/resource-teardown', defined<JsonObject>({ reason })));
      await tornDown;
    }
    this.#finish('teardown');
  }

  #awaitHandshake(): void {
    this.#stopHandshake();
    this.#stopHandshake = this.#clock.after(HANDSHAKE_MS, () => this.#finish('no handshake'), { idle: true });
  }

  #send(message: Message): void {
    if (this.#state === 'gone') return;
    try {
      this.#port.send({ ...message });
    } catch {
      this.#finish('port failed');
    }
  }

  #finish(end: ViewEnd): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    this.#stopHandshake();
    this.#sizes.stop();
    this.#requests.cancelAll();
    this.#tornDown.resolve();
    this.#warnings.guard('The port', () => this.#port.close());
    this.#end.resolve(end);
  }
}

const isDisplayMode = (mode: unknown): mode is DisplayMode => modes.includes(mode);

/** The id to send an error to. Undefined for a response, because answering malformed responses could loop forever. */
function idOfRequest(sent: unknown): Id | undefined {
  try {
    return isObject(sent) && 'method' in sent ? readableId(sent) : undefined;
  } catch {
    return undefined;
  }
}
