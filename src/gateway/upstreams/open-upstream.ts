/** Opens a client for an upstream that declares exactly what its callers can be asked. */
import { type Client, type ConnectOptions, type Handlers, openClient } from '../../client/index.ts';
import { planConnection } from '../../connect/target.ts';
import { badDefinition, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isNotification, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import { type LogMessage, readLogMessage } from '../../model/logging.ts';
import { MESSAGE } from '../../model/names.ts';
import type { Transport } from '../../peer/exchange.ts';
import type { UpstreamAudience } from '../contract.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** Consecutive `input_required` results that are accepted. */
const MAX_ROUNDS = 30;

/** Without an audience, the conversation is the gateway's own. */
export interface OpeningContext {
  readonly audience: UpstreamAudience | undefined;
  readonly capabilities: ClientCapabilities;
  readonly onLog: (message: LogMessage) => void;
  readonly signal: AbortSignal;
}

export async function openUpstream(settings: UpstreamSettings, context: OpeningContext): Promise<Client> {
  const { name, version, clock, timeouts, warn, label, revisions, headers } = settings;
  const extensions = Object.entries(context.capabilities.extensions ?? {}).map(([id, own]) => [id, { settings: own }]);
  const options: ConnectOptions = {
    name,
    version,
    clock,
    signal: context.signal,
    connectTimeoutMs: timeouts.connectMs,
    timeoutMs: timeouts.callMs,
    maxTimeoutMs: timeouts.maxCallMs,
    // High, because an upstream can ask again and again while the user is on a page.
    limits: { maxRounds: MAX_ROUNDS },
    onWarning: (warning) => warn(`${label}: ${warning}`),
    ...(revisions === undefined ? {} : { revisions }),
    ...handlersFor(context.capabilities),
    extensions: Object.fromEntries(extensions) as NonNullable<ConnectOptions['extensions']>, // built in this form above
  };
  const auth = settings.kind === 'url' ? settings.credentials.authFor(context.audience?.auth) : undefined;
  const {
    transport,
    extensions: declared,
    ...plan
  } = planConnection(settings.target, {
    ...options,
    ...(headers === undefined ? {} : { headers }),
    ...(auth === undefined ? {} : { auth }),
  });
  const once = settings.isolate === 'session' ? openOnce(transport) : { transport, opened: () => undefined };
  const client = await openClient(
    withLog(once.transport, context.onLog),
    { ...options, extensions: { ...declared, ...options.extensions } },
    { ...plan, onVisitCompleted: (id) => settings.visitCompleted(label, id) },
  );
  once.opened();
  return client;
}

/** Prevents a silent reconnect: the new session would lack the state that the caller relies on. */
function openOnce(transport: Transport): { readonly transport: Transport; opened(): void } {
  let isOpened = false;
  return {
    opened() {
      isOpened = true;
    },
    transport: (inbound, session) => {
      if (isOpened) throw badDefinition('The session', 'it is over');
      return transport(inbound, session);
    },
  };
}

/** Taps log messages outside of requests. A log handler of the client would request a level with every call. */
const withLog =
  (transport: Transport, onLog: OpeningContext['onLog']): Transport =>
  (inbound, session) =>
    transport((message, link) => {
      const log = isNotification(message) && message.method === MESSAGE && readLogMessage(message.params ?? {});
      if (log !== false && log !== undefined) onLog(log);
      return inbound(message, link);
    }, session);

/** Declares capabilities. Questions are answered by their request; one without a request is rejected. */
function handlersFor({ elicitation, sampling, roots }: ClientCapabilities): Handlers {
  const reject = (): never => {
    throw new RpcError(INTERNAL_ERROR, 'The gateway cannot tell which call this question belongs to');
  };
  const isForm = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return {
    ...(elicitation === undefined
      ? {}
      : { elicit: { ...(isForm ? { form: reject } : {}), ...(elicitation.url === undefined ? {} : { url: reject }) } }),
    ...(sampling === undefined ? {} : { sample: { create: reject, ...flagsOf(sampling) } }),
    ...(roots === undefined ? {} : { roots: reject }),
  };
}

const flagsOf = ({ tools, context }: { readonly tools?: JsonObject; readonly context?: JsonObject }): object => ({
  ...(tools === undefined ? {} : { tools: true }),
  ...(context === undefined ? {} : { context: true }),
});
