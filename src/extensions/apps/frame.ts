/** The entry point `mooring/frame`, for pages: the outer frame of a view's sandbox, as a port that a bridge speaks through. */
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
 * `unreachable`: the sandbox did not load, and nothing is shown. `silent`: the view no longer responds: it navigated away,
 * crashed or hangs.
 */
export type ViewLoss = 'unreachable' | 'silent';

/** Settings of a frame. */
export interface MountOptions {
  /** What screen readers call the frame. */
  readonly title?: string;
  /** Called once for each loss. A view that is silent can come back. */
  readonly onLost?: (why: ViewLoss) => void;
  readonly clock?: Clock;
}

/** How long after its `load` event the proxy can take to report itself. An error page has that event too. */
const READY_MS = 3_000;
/** How often a view is asked whether it is there, and how long it has to answer. */
const VIEW_PING_MS = 10_000;
const PING_ID = 'frame-ping-';

/** Puts the frame into the container. It is as wide as the container and as high as the view says, and loads when a bridge listens to the port. */
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
  /** Where the proxy is still to be tried. */
  readonly #urls: string[];
  #origin = '';
  #listener: ((message: unknown) => void) | undefined;
  /** Whether the proxy reported itself since the last `load` event. */
  #isReady = false;
  #stopReady: () => void = () => undefined;
  #stopPing: () => void = () => undefined;
  #pings = 0;
  /** Views that never answer a ping are never called silent: they may not know it. */
  #answersPings = false;
  #isHeard = false;
  #isSilent = false;

  constructor(container: Element, view: Pick<SandboxedView, 'proxyUrl' | 'plainUrl' | 'allow'>, options: MountOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#urls = [view.proxyUrl, view.plainUrl];
    const frame = container.ownerDocument.createElement('iframe');
    frame.title = options.title ?? 'View';
    // The view is inside of it, and gets no more than the frame around it has.
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
    // Never `*`: it would tell everything to whatever page the frame shows.
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
    // The view can reach this page too, and so can any other frame: only the proxy speaks for the view.
    if (proxy === null || source !== proxy || origin !== this.#origin || !isObject(data)) return;
    const { method } = data;
    if (method === PROXY_READY) this.#load();
    else if (typeof method !== 'string' || !method.startsWith(SANDBOX_PREFIX)) this.#hear(data);
  };

  /** The first time, and whenever the frame was moved in the page, which loads it again. The sandbox has the HTML. */
  #load(): void {
    this.#isReady = true;
    this.#stopPing();
    this.send({ ...notification(RESOURCE_READY, { html: '' }) });
  }

  #hear(message: JsonObject): void {
    const { method, id, params } = message;
    this.#isHeard = true;
    this.#isSilent = false;
    if (method === undefined && typeof id === 'string' && id.startsWith(PING_ID)) {
      this.#answersPings = true;
      return;
    }
    // Before `initialized` a view is sent nothing but answers.
    if (method === 'ui/initialize') this.#stopPing();
    this.#listener?.(message);
    if (method === 'ui/notifications/initialized') this.#ping();
    if (method === 'ui/notifications/size-changed' && isObject(params)) this.#sizes.note(params);
  }

  #ping(): void {
    this.#stopPing();
    this.#isHeard = false;
    this.send({ ...request(`${PING_ID}${++this.#pings}`, 'ping') });
    this.#stopPing = this.#clock.after(VIEW_PING_MS, () => {
      const isLost = !this.#isHeard && this.#answersPings && !this.#isSilent;
      this.#isSilent ||= isLost;
      if (isLost) this.#options.onLost?.('silent');
      this.#ping();
    });
  }
}
