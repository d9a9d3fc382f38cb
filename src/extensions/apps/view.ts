/** The entry point `mooring/view`, for the page inside the frame: connects it to its host over `postMessage`. Loads no other part of Mooring. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { applyStyle } from './apply-style.ts';
import { APPS_VERSION } from './apps-names.ts';
import type { DisplayMode, ViewContext } from './bridge-types.ts';
import { HostPort, hostError } from './host-port.ts';
import { reportSize } from './report-size.ts';
import type { ConnectedView, ViewOptions, ViewResult } from './view-types.ts';

export type { DisplayMode, ViewContext } from './bridge-types.ts';
export type { ConnectedView, ViewOptions, ViewResult } from './view-types.ts';

const HANDSHAKE_MS = 30_000;

/** Connects the page to its host. Messages of the host are replayed to listeners that you add later. */
export async function connectView(options: ViewOptions): Promise<ConnectedView> {
  if (parent === window) throw new Error('This page is not in a host. Call a tool of its server in a host with apps');
  const view = new HostView(options);
  await view.open();
  return view;
}

/** An event that replays its last value to new listeners. Each listener runs in its own microtask, so that an exception affects no other. */
class Replay<T> {
  readonly #listeners: ((value: T) => void)[] = [];
  #last: { readonly value: T } | undefined;

  readonly add = (listener: (value: T) => void): void => {
    this.#listeners.push(listener);
    const last = this.#last;
    if (last !== undefined) queueMicrotask(() => listener(last.value));
  };

  forget(): void {
    this.#last = undefined;
  }

  emit(value: T): void {
    this.#last = { value };
    for (const listener of this.#listeners) queueMicrotask(() => listener(value));
  }
}

class HostView implements ConnectedView {
  readonly #options: ViewOptions;
  readonly #modes: readonly DisplayMode[];
  readonly #port: HostPort = new HostPort(
    (method, params) => this.#answerRequest(method, params),
    (method, params) => this.#onNotification(method.replace('ui/notifications/', ''), params),
  );
  readonly #input = new Replay<JsonObject>();
  readonly #partialInput = new Replay<JsonObject>();
  readonly #result = new Replay<ViewResult>();
  readonly #cancelled = new Replay<string | undefined>();
  readonly #context = new Replay<ViewContext>();
  readonly #teardown: ((reason: string | undefined) => unknown)[] = [];
  readonly onInput = this.#input.add;
  readonly onPartialInput = this.#partialInput.add;
  readonly onResult = this.#result.add;
  readonly onCancelled = this.#cancelled.add;
  readonly onContext = this.#context.add;
  host: JsonObject = {};
  capabilities: JsonObject = {};
  context: ViewContext = {};

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#modes = options.displayModes ?? ['inline'];
  }

  async open(): Promise<void> {
    const { name, version } = this.#options;
    const appCapabilities = { availableDisplayModes: this.#modes };
    const params = { protocolVersion: APPS_VERSION, appInfo: { name, version }, appCapabilities };
    const { hostInfo, hostCapabilities, hostContext } = await this.#port.request('ui/initialize', params, HANDSHAKE_MS);
    this.host = objectIn(hostInfo);
    this.capabilities = objectIn(hostCapabilities);
    this.#changeContext(objectIn(hostContext));
    this.#port.notify('ui/notifications/initialized', {});
    reportSize((size) => this.#port.notify('ui/notifications/size-changed', { ...size }));
  }

  onTeardown(listener: (reason: string | undefined) => unknown): void {
    this.#teardown.push(listener);
  }

  async call(name: string, args: JsonObject = {}): Promise<ViewResult> {
    const result = toViewResult(await this.#port.request('tools/call', { name, arguments: args }));
    if (result.isError) throw hostError(result.text || `Tool "${name}" failed`);
    return result;
  }

  async read(uri: string): Promise<readonly JsonObject[]> {
    const { contents } = await this.#port.request('resources/read', { uri });
    return Array.isArray(contents) ? contents : [];
  }

  tell(text: string): Promise<void> {
    return this.#ask('ui/message', { role: 'user', content: [{ type: 'text', text }] });
  }

  remember(what?: string | JsonObject): Promise<void> {
    const content = typeof what === 'string' ? { content: [{ type: 'text', text: what }] } : {};
    return this.#ask('ui/update-model-context', isObject(what) ? { structuredContent: what } : content);
  }

  openLink(url: string): Promise<void> {
    return this.#ask('ui/open-link', { url });
  }

  async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
    if (!this.#modes.includes(mode)) throw new Error(`Name "${mode}" in the displayModes of connectView first`);
    const { displayMode: now = 'inline', availableDisplayModes = [] } = this.context;
    if (!availableDisplayModes.includes(mode)) return now;
    const { mode: granted = now } = await this.#port.request('ui/request-display-mode', { mode });
    const displayMode = granted as DisplayMode; // the host's value, not checked
    if (displayMode !== now) this.#changeContext({ displayMode });
    return displayMode;
  }

  log(level: string, data: unknown): void {
    this.#port.notify('notifications/message', { level, logger: this.#options.name, data });
  }

  /** Sends a request that the host can decline: some hosts return an error, some a result with `isError`. */
  async #ask(method: string, params: JsonObject): Promise<void> {
    const { isError } = await this.#port.request(method, params);
    if (isError === true) throw hostError('The host declined');
  }

  #answerRequest(method: string, { reason }: JsonObject): Promise<JsonObject> | undefined {
    if (method === 'ping') return Promise.resolve({});
    if (method !== 'ui/resource-teardown') return undefined;
    return Promise.all(this.#teardown.map(async (listener) => listener(textIn(reason)))).then(() => ({}));
  }

  #onNotification(event: string, params: JsonObject): void {
    if (event === 'tool-input') {
      this.#partialInput.forget();
      this.#input.emit(objectIn(params['arguments']));
    }
    if (event === 'tool-input-partial') this.#partialInput.emit(objectIn(params['arguments']));
    if (event === 'tool-result') this.#result.emit(toViewResult(params));
    if (event === 'tool-cancelled') this.#cancelled.emit(textIn(params['reason']));
    if (event === 'host-context-changed') this.#changeContext(params);
  }

  #changeContext(changes: JsonObject): void {
    this.context = { ...this.context, ...changes };
    applyStyle(changes);
    this.#context.emit(this.context);
  }
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Falls back to JSON in the last text block, for protocol revisions without structured content. */
function toViewResult({ content: blocks, structuredContent, isError, _meta }: JsonObject): ViewResult {
  const content: readonly JsonObject[] = Array.isArray(blocks) ? blocks.filter(isObject) : [];
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const data = structuredContent ?? dataIn(texts.at(-1));
  return { data, text: texts.join('\n'), content, isError: isError === true, meta: objectIn(_meta) };
}

function dataIn(text = ''): unknown {
  try {
    return /^\s*[{[]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
