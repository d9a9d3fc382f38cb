/** Opens a client, and forwards each member of `Client` to the part that implements it. */
import { badDefinition } from '../errors.ts';
import type { ChangeFilter } from '../model/change.ts';
import { checkOptions, type OptionNames } from '../model/check-options.ts';
import { valueKind } from '../model/value-kind.ts';
import type { Transport } from '../peer/exchange.ts';
import { layerTransport } from '../peer/layer-transport.ts';
import { toCallParams } from './calls.ts';
import type { Client } from './client.ts';
import { type ClientContext, ClientCore } from './client-core.ts';
import { closedError } from './connection.ts';
import type { ConnectOptions } from './options.ts';
import { sdkNames } from './sdk-names.ts';
import type { ClientTask } from './tasks/task.ts';
import type { CallResult, ServerDescription, WatchFilter } from './types.ts';

const WATCH = 'client.watch({ tools, prompts, resources })';
const filterNames: OptionNames<WatchFilter> = { tools: true, prompts: true, resources: true };

/** Opens a connection over the transport and negotiates a revision. */
export async function openClient<S>(
  transport: Transport,
  options: ConnectOptions,
  context: ClientContext = {},
): Promise<Client<S>> {
  const core = new ClientCore(layerTransport(transport, options.layers ?? []), options, context);
  await core.connection.connect(options.signal);
  return toClient<S>(core);
}

function toClient<S>(core: ClientCore): Client<S> {
  const { connection, calls, rounds, watches, stateListeners } = core;
  const close = (): Promise<void> => core.close();
  let described: { readonly of?: unknown; readonly server?: ServerDescription } = {};
  const client: Client<S> = {
    // Validated against the output schema, which matches the type of the server.
    call: (name, ...[args, options = {}]) => calls.call(name, args, options) as Promise<CallResult<never>>,
    attempt: (name, args = {}, options = {}) => calls.attempt(name, args, options),
    start: async (name, ...[args, options = {}]) =>
      (await core.tasks()).start(name, toCallParams(name, args), options) as Promise<ClientTask<never>>,
    attach: async (ticket) => (await core.tasks()).attach(ticket),
    list: (kind, options = {}) => calls.list(kind, options),
    read: (uri, options = {}) => calls.read(uri, options),
    getPrompt: (name, ...[args, options = {}]) => calls.getPrompt(name, args, options),
    complete: (ref, argument, options = {}) => calls.complete({ ref, argument }, options),
    watch: (filter, { signal } = {}) => {
      checkOptions(WATCH, filter, filterNames);
      return watches.start(toChangeFilter(filter), signal);
    },
    request: (method, params, options = {}) => rounds.request(method, params, options),
    get server() {
      if (described.of !== connection.known) described = { of: connection.known, server: describeServer(core) };
      return described.server ?? describeServer(core);
    },
    get state() {
      return connection.state;
    },
    onState: (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    ping: (options = {}) => core.ping(options),
    setLogLevel: (level) => core.setLogLevel(level),
    rootsChanged: () => core.rootsChanged(),
    close,
    [Symbol.asyncDispose]: close,
  };
  return Object.setPrototypeOf(client, sdkNames) as Client<S>; // the same object
}

function describeServer({ connection: { known } }: ClientCore): ServerDescription {
  if (known === undefined) throw closedError();
  const { info, capabilities, instructions } = known.server;
  return { info, capabilities, instructions, revision: known.revision.id };
}

function toChangeFilter({ tools, prompts, resources }: WatchFilter): ChangeFilter {
  const isUris = Array.isArray(resources) && resources.every((uri) => typeof uri === 'string');
  if (resources !== undefined && typeof resources !== 'boolean' && !isUris)
    throw badDefinition(WATCH, `"resources" must be true, or a list of URIs, not ${valueKind(resources)}`);
  return {
    ...(tools === true ? { toolsListChanged: true } : {}),
    ...(prompts === true ? { promptsListChanged: true } : {}),
    ...(resources === true ? { resourcesListChanged: true } : {}),
    ...(isUris ? { resourceSubscriptions: resources } : {}),
  };
}
