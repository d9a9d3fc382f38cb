/** `createServer` makes a server from parts, and `use` puts it behind middleware (layers). */
import { badDefinition, RpcError } from '../errors.ts';
import { INTERNAL_ERROR, isObject } from '../jsonrpc/message.ts';
import type { Exchange, Layer, Servable } from '../peer/exchange.ts';
import type { ServerSide } from '../revisions/contract.ts';
import { answer } from './answer.ts';
import { PartCatalogue } from './catalogue.ts';
import { ChangeHub } from './change-hub.ts';
import { openSkills } from './extension.ts';
import { runToolRequest } from './methods/tools.ts';
import { type EnvOfParts, openPart, type Part } from './part.ts';
import { PartServer } from './part-server.ts';
import { requireScopes } from './scopes.ts';
import type { Server } from './server-interface.ts';
import { readSettings, type ServerWithParts } from './settings.ts';
import { openTasks } from './tasks/server-tasks.ts';

/** Makes a server from parts. Throws for mistakes in their definitions; mistakes in plain JSON Schemas are reported when it is served. */
export function createServer<const P extends readonly Part[]>(spec: EnvOfParts<P> & ServerWithParts<P>): Server<P> {
  const settings = readSettings(spec);
  const catalogue = new PartCatalogue(spec.extensions, spec.tasks !== undefined);
  const handlers = { runTool: runToolRequest, requireScopes };
  const tasks = spec.tasks && openTasks({ options: spec.tasks, settings, catalogue, handlers });
  const extensions = [spec.skills && openSkills(spec.skills), tasks].filter((one) => one !== undefined);
  const parts = [...spec.parts.map(openPart), ...extensions.flatMap((one) => one.parts)];
  for (const part of parts) {
    catalogue.add(part);
    if (part.kind === 'tool' && part.definition.description === undefined) {
      spec.onWarning?.(`Tool "${part.definition.name}" has no description. Add one: models choose tools by it`);
    }
    if (part.kind === 'tool' && part.task !== undefined && tasks === undefined) {
      spec.onWarning?.(`Tool "${part.name}" has "task", but the server has no "tasks". Pass "tasks" to createServer`);
    }
  }
  for (const part of parts) part.verify?.(catalogue.resources);
  const side: ServerSide = {
    ...settings,
    capabilities: (revision) => extensions.reduce((all, one) => one.declare(all, revision), catalogue.capabilities()),
  };
  const onBusError = (thrown: unknown): void => void settings.report(thrown, 'publishing changes to other processes');
  const changes = new ChangeHub(spec.changes, onBusError);
  return new PartServer<P>({ settings, catalogue, side, changes, extensions, tasks, answer });
}

/** Puts a server behind middleware: layers that see every message, outermost first. */
export function use<P extends readonly Part[]>(server: Server<P>, ...layers: readonly Layer[]): Server<P>;
/** Puts a view of a gateway, or anything else that a transport can serve, behind middleware. */
export function use(server: Required<Servable>, ...layers: readonly Layer[]): Required<Servable>;
export function use<P extends readonly Part[]>(
  served: Server<P> | Required<Servable>,
  ...layers: readonly Layer[]
): Server<P> {
  if (!isObject(served) || ![served.open, ...layers].every((one) => typeof one === 'function'))
    throw badDefinition('use(server, …layers)', 'expected a server and functions, such as telemetry().server');
  const server = served as Server<P>; // only the author of a server calls its other members
  return {
    name: server.name,
    version: server.version,
    revisions: server.revisions,
    mirrored: (request, auth) => server.mirrored(request, auth),
    nameParam: (method) => server.nameParam(method),
    scopes: (request) => server.scopes(request),
    prepare: () => server.prepare(),
    add: (part) => server.add(part),
    remove: (name) => server.remove(name),
    updated: (uri) => server.updated(uri),
    tasks: server.tasks,
    close: () => server.close(),
    open(push, session) {
      const conversation = server.open(push, session);
      const innermost: Exchange = (message, link) => conversation.exchange(message, link);
      let end: () => void = conversation.close;
      const closed = new Promise<undefined>((resolve) => {
        end = () => resolve(undefined);
      });
      const layered = layers.reduceRight((next, layer) => layer(next, closed), innermost);
      const exchange: Exchange = async (message, link) => {
        try {
          return await layered(message, link);
        } catch (thrown) {
          if (thrown instanceof RpcError || link.signal.aborted) throw thrown;
          console.error('mooring: a layer failed', thrown); // the client does not see it
          throw new RpcError(INTERNAL_ERROR, 'Internal error');
        }
      };
      const close = (): void => {
        end();
        conversation.close();
      };
      return { exchange, close };
    },
  };
}
