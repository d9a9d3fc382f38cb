/** The server of `mooring dev`: keeps conversations open across reloads, and routes messages to the newest version. */
import {
  isObject,
  isRequest,
  type Message,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { type Change, type ChangeFilter, canNotify, filterCovers } from '../../model/change.ts';
import { type MirroredHeader, mirroredHeadersIn } from '../../model/mirrored-headers.ts';
import { ACKNOWLEDGED, LISTEN, SUBSCRIPTION_ID } from '../../model/names.ts';
import type { Link, Servable, ServedConversation, ServerPush } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { toNotification } from '../../revisions/feeds/push.ts';
import { findRevision } from '../../revisions/index.ts';
import type { Version } from './version.ts';

export class ReloadableServer implements Servable {
  readonly #onNeeded: () => void;
  readonly #open: Map<number, ReloadableConversation> = new Map();
  #current: Version | undefined;
  #waiting: ((version: Version) => void)[] = [];
  #last = 0;

  /** `onNeeded` is called when a message waits for a version because none is running. */
  constructor(onNeeded: () => void) {
    this.#onNeeded = onNeeded;
  }

  get current(): Version | undefined {
    return this.#current;
  }

  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    if (method !== 'tools/call') return [];
    const tool = this.#current?.offer.tools.find(({ name }) => name === params?.['name']);
    const schema = tool?.['inputSchema'];
    return isObject(schema) ? mirroredHeadersIn(schema) : [];
  }

  open(push: ServerPush, session: PeerSession): ServedConversation {
    const at = ++this.#last;
    const conversation = new ReloadableConversation({ at, push, session }, () => this.#running());
    this.#open.set(at, conversation);
    if (this.#current !== undefined) conversation.move(this.#current, []);
    return {
      exchange: (message, link) => conversation.exchange(message, link),
      close: () => {
        this.#open.delete(at);
        conversation.close();
      },
    };
  }

  /** Routes new messages to `version`. Running calls finish on the previous one. */
  swap(version: Version, changes: readonly Change[]): void {
    this.#current = version;
    for (const conversation of this.#open.values()) conversation.move(version, changes);
    for (const resolve of this.#waiting.splice(0)) resolve(version);
  }

  /** Drops a version whose process exited. Messages wait until the next `swap`. */
  drop(version: Version): void {
    if (this.#current === version) this.#current = undefined;
  }

  #running(): Promise<Version> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    const next = new Promise<Version>((resolve) => this.#waiting.push(resolve));
    this.#onNeeded();
    return next;
  }
}

/** An open `subscriptions/listen` request. */
interface OpenListen {
  readonly request: RpcRequest;
  readonly link: Link;
  granted: ChangeFilter | undefined;
  /** The version that serves it. */
  version: Version;
  finish(response: Promise<RpcResponse | undefined>): void;
  leave(): void;
}

class ReloadableConversation {
  readonly #at: number;
  readonly #push: ServerPush;
  readonly #session: PeerSession;
  readonly #running: () => Promise<Version>;
  readonly #streams: Set<OpenListen> = new Set();
  #version: Version | undefined;
  #isClosed = false;
  /** Capabilities that were declared to the client: it gets no other notifications. */
  #declared: Version['offer']['capabilities'] | undefined;

  constructor(to: { at: number; push: ServerPush; session: PeerSession }, running: () => Promise<Version>) {
    this.#at = to.at;
    this.#push = to.push;
    this.#session = to.session;
    this.#running = running;
  }

  async exchange(message: Message, link: Link): Promise<RpcResponse | undefined> {
    const version = await this.#running();
    // No version that started since then knows this conversation.
    if (this.#isClosed) return undefined;
    if (!isRequest(message) || message.method !== LISTEN)
      return version.exchange(message, link, { at: this.#at, session: this.#session, standing: false });
    return new Promise((finish) => {
      const stream: OpenListen = {
        request: message,
        link,
        granted: undefined,
        version,
        finish,
        leave: () => undefined,
      };
      this.#streams.add(stream);
      this.#feed(stream, version);
    });
  }

  move(version: Version, changes: readonly Change[]): void {
    const before = this.#version;
    this.#version = version;
    this.#declared ??= version.offer.capabilities;
    before?.mute(this.#at);
    version.open(this.#at, { push: this.#push, session: this.#session });
    for (const stream of this.#streams) {
      stream.leave();
      this.#feed(stream, version);
    }
    for (const change of changes) this.#notifyChange(change);
  }

  close(): void {
    this.#isClosed = true;
    this.#version?.close(this.#at);
  }

  /** Serves the stream from this version. Only the first acknowledgment reaches the client. */
  #feed(stream: OpenListen, version: Version): void {
    const left = new AbortController();
    const { link, request } = stream;
    const again = stream.granted !== undefined;
    const notify = (notification: RpcNotification): void => {
      if (notification.method !== ACKNOWLEDGED) link.notify(notification);
      else if (!again) {
        stream.granted = (notification.params?.['notifications'] ?? {}) as ChangeFilter; // built by our own server
        link.notify(notification);
      }
    };
    const signal = AbortSignal.any([link.signal, left.signal]);
    stream.version = version;
    stream.leave = () => left.abort('another version feeds it');
    const fed = version.exchange(
      request,
      { signal, notify, ask: (question, over) => link.ask(question, over) },
      this.#standing,
    );
    const end = (): void => {
      if (stream.version !== version) return;
      this.#streams.delete(stream);
      stream.finish(fed);
    };
    // If the version's process exits, the stream waits for the next version.
    fed.then(end, () => undefined);
  }

  get #standing(): { at: number; session: PeerSession; standing: true } {
    return { at: this.#at, session: this.#session, standing: true };
  }

  #notifyChange(change: Change): void {
    for (const { granted, link, request } of this.#streams)
      if (granted !== undefined && filterCovers(granted, change))
        link.notify(toNotification(change, { [SUBSCRIPTION_ID]: request.id }));
    if (this.#declared === undefined || !canNotify(this.#declared, change)) return;
    const pushed = findRevision(this.#session.revision ?? '')?.feeds.push(change, this.#session);
    if (pushed !== undefined) this.#push.notify(pushed);
  }
}
