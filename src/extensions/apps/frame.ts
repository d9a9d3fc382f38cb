/** The entry point `mooring/frame`, for pages of a host: mounts the outer frame of a view, and returns it as the port of a bridge. */
import { isObject, type JsonObject, notification, request } from '../../jsonrpc/message.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { PROXY_READY, RESOURCE_READY, SANDBOX_PREFIX } from './apps-names.ts';
import type { ViewPort } from './bridge-types.ts';
import type { SandboxedView } from './sandbox-types.ts';
import { SizeReports } from './view-size.ts';

export { openBridge } from './bridge.ts';
export type {
  BridgeOptions,
  DisplayMode,
  ModelContext,
  ViewBridge,
  ViewContext,
  ViewEnd,
  ViewHandlers,
  ViewMessage,
  ViewPort,
  ViewSize,
  ViewState,
} from './bridge-types.ts';
export type { SandboxedView } from './sandbox-types.ts';

/**
 * `unreachable`: the sandbox did not load, so the frame is empty. `silent`: the view no longer responds, because it navigated away,
 * crashed or hangs.
 */
export type ViewLoss = 'unreachable' | 'silent';

/** Settings of `mountView`. */
export interface MountOptions {
  /** The accessible name of the frame. Default: `View`. */
  readonly title?: string;
  /** Called once for each loss. A silent view can respond again later. */
  readonly onLost?: (why: ViewLoss) => void;
  readonly clock?: Clock;
}

/** How long the proxy page can take after the `load` event to send its ready message. An error page of the browser fires `load` too. */
const READY_MS = 3_000;
/** Interval of keep-alive pings to the view, and the timeout of each. */
const VIEW_PING_MS = 10_000;
const PING_ID = 'frame-ping-';

/** Appends the frame to the container. Its width is that of the container, its height that of the view. Loads when a bridge listens to the port. */
export const mountView = (
  container: Element,
  view: Pick<SandboxedView, 'proxyUrl' | 'plainUrl' | 'allow'>,
  options: MountOptions = {},
): ViewPort => new FramePort(container, view, options);

class FramePort implements ViewPort {
  readonly #frame: HTMLIFrameElement;
  readonly #options: MountOptions;
  readonly #clock: Clock;
  readonly #sizes: SizeReports;
  /** URLs of the proxy page that were not tried yet. */
  readonly #urls: string[];
  #origin = '';
  #listener: ((message: unknown) => void) | undefined;
  /** Whether the proxy page has sent its ready message since the last `load` event. */
  #isReady = false;
  #stopReady: () => void = () => undefined;
  #stopPing: () => void = () => undefined;
  #pings = 0;
  /** Set by the first response to a ping. Until then, the view is never reported as silent, because it might not support pings. */
  #answersPings = false;
  /** Whether the view has sent any message since the last ping. */
  #wasActive = false;
  #isSilent = false;

  constructor(container: Element, view: Pick<SandboxedView, 'proxyUrl' | 'plainUrl' | 'allow'>, options: MountOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#urls = [view.proxyUrl, view.plainUrl];
    const frame = container.ownerDocument.createElement('iframe');
    frame.title = options.title ?? 'View';
    // The view is nested in this frame, and inherits its restrictions.
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
    frame.setAttribute('allow', view.allow);
    Object.assign(frame.style, { border: '0', display: 'block', width: '100%' });
    this.#frame = frame;
    this.#sizes = new SizeReports(this.#clock, ({ height }) => {
      if (height !== undefined) frame.style.height = `${height}px`;
    });
    container.append(frame);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listener = listener;
    globalThis.addEventListener('message', this.#receive);
    this.#frame.addEventListener('load', this.#expectReady);
    this.#navigate();
  }

  send(message: JsonObject): void {
    // Never `*`: if the frame navigates, another page would receive the messages.
    this.#frame.contentWindow?.postMessage(message, this.#origin);
  }

  close(): void {
    globalThis.removeEventListener('message', this.#receive);
    this.#stopReady();
    this.#stopPing();
    this.#sizes.stop();
    this.#frame.remove();
  }

  #navigate(): void {
    const url = this.#urls.shift();
    if (url === undefined) {
      this.#options.onLost?.('unreachable');
      return;
    }
    this.#origin = new URL(url).origin;
    this.#frame.src = url;
  }

  readonly #expectReady = (): void => {
    this.#stopReady();
    this.#stopReady = this.#clock.after(READY_MS, () => {
      if (!this.#isReady) this.#navigate();
      this.#isReady = false;
    });
  };

  readonly #receive = ({ data, source, origin }: MessageEvent<unknown>): void => {
    const proxy = this.#frame.contentWindow;
    // Any frame, also the view itself, can post messages to this page. Accepts only those that the proxy page relays.
    if (proxy === null || source !== proxy || origin !== this.#origin || !isObject(data)) return;
    const { method } = data;
    if (method === PROXY_READY) this.#load();
    else if (typeof method !== 'string' || !method.startsWith(SANDBOX_PREFIX)) this.#onViewMessage(data);
  };

  /** Tells the proxy page to load the view, again after the frame was moved in the page and reloaded. `html` is empty, because the sandbox serves the view. */
  #load(): void {
    this.#isReady = true;
    this.#stopPing();
    this.send({ ...notification(RESOURCE_READY, { html: '' }) });
  }

  #onViewMessage(message: JsonObject): void {
    const { method, id, params } = message;
    this.#wasActive = true;
    this.#isSilent = false;
    if (method === undefined && typeof id === 'string' && id.startsWith(PING_ID)) {
      this.#answersPings = true;
      return;
    }
    // Stops pings during the handshake: before `initialized`, a view must get only responses.
    if (method === 'ui/initialize') this.#stopPing();
    this.#listener?.(message);
    if (method === 'ui/notifications/initialized') this.#ping();
    if (method === 'ui/notifications/size-changed' && isObject(params)) this.#sizes.note(params);
  }

  #ping(): void {
    this.#stopPing();
    this.#wasActive = false;
    this.send({ ...request(`${PING_ID}${++this.#pings}`, 'ping') });
    this.#stopPing = this.#clock.after(VIEW_PING_MS, () => {
      const isLost = !this.#wasActive && this.#answersPings && !this.#isSilent;
      this.#isSilent ||= isLost;
      if (isLost) this.#options.onLost?.('silent');
      this.#ping();
    });
  }
}
