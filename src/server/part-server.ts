/** Implements `Server`: opens conversations, and stores nothing about any caller. */
import { badDefinition } from '../errors.ts';
import type { RpcRequest } from '../jsonrpc/message.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import { isTemplate } from '../model/uri-template.ts';
import type { ServedConversation, ServerPush } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { ServerCore } from './answer.ts';
import { ServerConversation } from './conversation.ts';
import { openPart, type Part, type PartsCatalogue } from './part.ts';
import { scopesFor } from './scopes.ts';
import type { Server } from './server-interface.ts';
import type { TaskWorker } from './tasks/server-tasks.ts';

const NONE: readonly never[] = [];

/** The server that `createServer` returns. */
export class PartServer<P extends readonly Part[]> implements Server<P> {
  readonly #core: ServerCore;
  declare readonly '~types'?: PartsCatalogue<P>;

  constructor(core: ServerCore) {
    this.#core = core;
  }

  get name(): string {
    return this.#core.settings.info.name;
  }
  get version(): string {
    return this.#core.settings.info.version;
  }

  get revisions(): readonly string[] {
    return this.#core.settings.revisions.map(({ id }) => id);
  }

  mirrored({ method, params }: RpcRequest): readonly MirroredHeader[] {
    return method === 'tools/call' ? this.#core.catalogue.mirrored(params?.['name']) : NONE;
  }

  nameParam(method: string): string | undefined {
    return this.#core.tasks?.nameParam(method);
  }

  scopes(request: RpcRequest): readonly string[] {
    const { catalogue } = this.#core;
    return catalogue.hasScopes ? scopesFor(request, catalogue) : NONE;
  }

  prepare(): Promise<void> | undefined {
    return this.#core.catalogue.prepare();
  }

  add(part: Part): void {
    this.#core.changes.notify({ kind: this.#core.catalogue.add(openPart(part)) });
  }

  remove(name: string): boolean {
    const kinds = this.#core.catalogue.remove(name);
    for (const kind of kinds) this.#core.changes.notify({ kind });
    return kinds.length > 0;
  }

  updated(uri: string): void {
    this.#core.changes.notify(isTemplate(uri) ? { kind: 'resources' } : { kind: 'resource', uri });
  }

  get tasks(): TaskWorker | undefined {
    return this.#core.tasks;
  }

  close(): void {
    this.#core.changes.close();
    this.#core.tasks?.close();
  }

  open(push: ServerPush, session: PeerSession): ServedConversation {
    this.#core.tasks?.recover();
    return new ServerConversation(this.#core, push, session);
  }
}

/** Methods of the official SDK, which are not in the types. They name the equivalent, instead of failing with "is not a function". */
for (const name of 'tool registerTool resource registerResource prompt registerPrompt connect'.split(' '))
  Reflect.set(PartServer.prototype, name, () => {
    const add = 'server.add(part), made by tool(), resource() or prompt()';
    const equivalent = name === 'connect' ? 'serveStdio(server) or serveHttp(server)' : add;
    throw badDefinition(`server.${name}()`, `use ${equivalent}`);
  });
