/** Opens the view of a tool: reads its page through the gate, compares it with the lock, and connects it. */
import { Buffer } from 'node:buffer';
import type { RequestOptions } from '../../client/index.ts';
import { badDefinition, McpError } from '../../errors.ts';
import { APP_MIME_TYPE } from '../../extensions/apps/apps-names.ts';
import { openBridge, type ViewBridge, type ViewPort } from '../../extensions/apps/bridge.ts';
import { readViewSettings, type ViewSettings, writeViewSettings } from '../../extensions/apps/view-policy.ts';
import { defined, isObject } from '../../jsonrpc/message.ts';
import type { ResourceContents } from '../../model/content.ts';
import { VERSION } from '../../model/names.ts';
import type { Tool } from '../../model/parts.ts';
import { onAbort } from '../../peer/wait.ts';
import { sha256 } from '../act/binding.ts';
import { withoutHopMeta } from '../catalogue/hop-meta.ts';
import { viewUriOf } from '../catalogue/tool-audience.ts';
import type { ConnectViewOptions, ShownCall, View } from './app-types.ts';
import { toWireResult, ViewActs } from './view-acts.ts';
import type { ViewSession } from './view-session.ts';

/** Maximum length of a page as sent by its server, in characters of text or base64. */
const MAX_HTML: number = 4 * 1024 * 1024;

export async function openView(session: ViewSession, name: string, given: RequestOptions): Promise<View> {
  const { catalogue, acts } = session;
  const tool = await catalogue.find('tool', name, given.signal);
  const { label } = tool.server;
  const definition = catalogue.item('tool', name)?.definition;
  const uri = definition === undefined ? undefined : viewUriOf(definition);
  if (definition === undefined || uri === undefined) throw badDefinition(`The tool "${tool.name}"`, 'it has no view');
  const page = catalogue.findResource(label, uri);
  const read = await acts.runAct(acts.actOn('resource', page, {}), page, {
    given,
    run: async (client) => withoutHopMeta(await client.read(uri, { ...given, fresh: true })),
  });
  const content = pageIn(read.contents, uri);
  const viewActs = new ViewActs(session, page);
  const html = htmlOf(content);
  // The settings in the content win over those of the listed resource.
  const listed = async (): Promise<unknown> =>
    (await catalogue.listedResource(label, uri, given.signal).catch(() => undefined))?._meta?.['ui'];
  const ui = content._meta?.['ui'] ?? (await listed());
  const { settings, dropped } = readViewSettings(ui);
  const form = { uri, _meta: { html: `sha256:${sha256(html)}`, ...(isObject(ui) ? { ui } : {}) } };
  const subject = await catalogue.viewSubject({ kind: 'view', server: label, key: uri, definition: form });
  const { status = 'new' } = subject.facts;
  // The page is not displayed yet: this act records its settings, and asks the user if the page is new or changed.
  const asked = { ...subject, warnings: [...subject.warnings, ...domainWarnings(settings)] };
  if (status !== 'approved') {
    const act = acts.actOn('resource', asked, writeViewSettings(settings));
    await acts.runAct(act, asked, { given, run: async () => undefined });
  }
  for (const place of dropped) session.onWarning(`The view ${uri} of ${label} declares an invalid setting at ${place}`);
  const view = { server: label, uri, html, settings, dropped, status };
  const connect = (port: ViewPort, options: ConnectViewOptions = {}): ViewBridge =>
    connectView({ session, view, viewActs, definition }, port, options);
  return { ...view, connect };
}

interface OpenedView {
  readonly session: ViewSession;
  readonly view: Omit<View, 'connect'>;
  readonly viewActs: ViewActs;
  readonly definition: Tool;
}

function connectView(opened: OpenedView, port: ViewPort, options: ConnectViewOptions): ViewBridge {
  const { session, view, viewActs, definition } = opened;
  const { apps, clock, hostName, onWarning } = session;
  const { closeSignal } = session.acts;
  const { csp, permissions } = writeViewSettings(view.settings);
  const leave = (): void => void bridge.teardown('the view asked for it');
  const bridge = openBridge(
    port,
    { ...viewActs.handlers(options), leave },
    {
      hostInfo: { name: hostName, version: VERSION },
      hostContext: { toolInfo: { tool: definition }, ...options.context },
      sandbox: defined({ csp, permissions }),
      clock,
      draft: apps.draft === true,
      onWarning: (warning) => onWarning(`${view.uri} of ${view.server}: ${warning}`),
    },
  );
  void bridge.closed.then(onAbort(closeSignal, () => void bridge.teardown('the session ended')));
  if (options.call !== undefined) void showCall(bridge, options.call);
  return bridge;
}

async function showCall(bridge: ViewBridge, { arguments: args, result }: ShownCall): Promise<void> {
  bridge.input(args);
  if (result === undefined) return;
  await Promise.resolve(result)
    .then(
      (one) => bridge.result(toWireResult(one)),
      () => bridge.cancelled('the call failed'),
    )
    // The bridge accepts one result: the application may have sent it already.
    .catch(() => undefined);
}

function domainWarnings({ connect, load, frames }: ViewSettings): readonly string[] {
  const origins = [...new Set([...connect, ...load, ...frames])];
  return origins.length === 0 ? [] : [`Its page can reach ${origins.join(', ')}.`];
}

function pageIn(contents: readonly ResourceContents[], uri: string): ResourceContents {
  const page = contents.find(
    (one) => one.uri === uri && one.mimeType?.toLowerCase().replace(/\s/g, '') === APP_MIME_TYPE,
  );
  if (page !== undefined) return page;
  throw new McpError('MCP_BAD_RESULT', {
    method: 'resources/read',
    why: `it has no ${APP_MIME_TYPE} with the URI of the view`,
  });
}

function htmlOf(page: ResourceContents): string {
  const { length } = 'text' in page ? page.text : page.blob;
  if (length > MAX_HTML)
    throw new McpError('MCP_TOO_LARGE', { what: 'The view', limit: MAX_HTML, setting: 'a fixed limit' });
  return 'text' in page ? page.text : Buffer.from(page.blob, 'base64').toString('utf8');
}
