/** A view of an app without a page: the test sends its messages. */
import type { ViewPort } from '../../src/extensions/apps/bridge.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { settled } from './held-clock.ts';

export class MemoryView implements ViewPort {
  readonly heard: JsonObject[] = [];
  closed = false;
  /** Does not acknowledge the teardown. */
  hangs = false;
  #listener: (message: unknown) => void = () => undefined;
  #id = 100;

  send(message: JsonObject): void {
    this.heard.push(JSON.parse(JSON.stringify(message)) as JsonObject);
    if (message['method'] === 'ui/resource-teardown' && !this.hangs)
      queueMicrotask(() => this.say({ jsonrpc: '2.0', id: message['id'], result: {} }));
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.closed = true;
  }

  say(message: unknown): void {
    this.#listener(message);
  }

  notify(method: string, params: JsonObject = {}): void {
    this.say({ jsonrpc: '2.0', method, params });
  }

  /** The response; undefined if there is none after all microtasks. */
  async ask(method: string, params: JsonObject = {}): Promise<JsonObject | undefined> {
    const id = this.#id++;
    this.say({ jsonrpc: '2.0', id, method, params });
    const find = (): JsonObject | undefined => this.heard.find((one) => one['id'] === id && !('method' in one));
    for (let turns = 0; turns < 50 && find() === undefined; turns++) await settled();
    return find();
  }

  async handshake(appCapabilities: JsonObject = {}): Promise<JsonObject | undefined> {
    const appInfo = { name: 'view', version: '1' };
    const answer = await this.ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo, appCapabilities });
    this.notify('ui/notifications/initialized');
    return answer;
  }

  /** The methods of the host's own messages, in order. */
  get told(): readonly unknown[] {
    return this.heard.flatMap((one) => ('method' in one ? [one['method']] : []));
  }

  paramsOf(method: string): readonly unknown[] {
    return this.heard.flatMap((one) => (one['method'] === method ? [one['params']] : []));
  }
}
