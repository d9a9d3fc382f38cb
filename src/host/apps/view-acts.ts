/** Turns the requests of a view into acts, which pass the gate. A view can use only its own server. */
import { Buffer } from 'node:buffer';
import { readUrlRequest } from '../../client/elicitation.ts';
import type { AttemptResult } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { ModelContext, ViewHandlers } from '../../extensions/apps/bridge-types.ts';
import { defined, INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import type { Content, EmbeddedResource, ResourceLink } from '../../model/content.ts';
import type { CallToolResult } from '../../model/parts.ts';
import type { Act } from '../act/act.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import { warningOf } from '../catalogue/for-model.ts';
import { withoutHopMeta } from '../catalogue/hop-meta.ts';
import { itemName } from '../catalogue/names.ts';
import { isToolFor } from '../catalogue/tool-audience.ts';
import type { PassOptions } from '../gate/gate.ts';
import { isSafeToVisit, visitWarnings } from '../questions/elicitation.ts';
import { perMinute } from '../questions/per-minute.ts';
import { fenceText } from '../text/fence-text.ts';
import { warningsIn } from '../text/inspect.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { ConnectViewOptions, DownloadedFile } from './app-types.ts';
import type { ViewSession } from './view-session.ts';

/** Maximum length of a view's model context, in characters. */
const MAX_CONTEXT = 8_192;
/** Rate limit of consent questions that one view can cause: links, messages and downloads. */
const ASKED_PER_MINUTE = 10;
const MAX_FILE_NAME = 100;

export class ViewActs {
  readonly #session: ViewSession;
  /** The page's resource, with the server that it was read from. */
  readonly #page: ActSubject;
  readonly #fingerprint: string | undefined;
  readonly #tryTake: () => boolean;

  constructor(session: ViewSession, page: ActSubject) {
    this.#session = session;
    this.#page = page;
    this.#fingerprint = page.server.identity().fingerprint;
    this.#tryTake = perMinute(ASKED_PER_MINUTE, session.clock);
  }

  handlers({ onMessage, onDownload, displayMode, resized, log }: ConnectViewOptions): ViewHandlers {
    const { open } = this.#session.questions ?? {};
    return defined<ViewHandlers>({
      ...{ displayMode, resized, log },
      callTool: (name, args, signal) => this.#callTool(name, args, signal),
      readResource: (uri, signal) => this.#readResource(uri, signal),
      updateContext: (context, signal) => this.#updateContext(context, signal),
      openLink: open && ((url, signal) => this.#openLink(url, signal)),
      message: onMessage && (({ content }, signal) => this.#message(content, signal, onMessage)),
      download: onDownload && ((contents, signal) => this.#download(contents, signal, onDownload)),
    });
  }

  async #callTool(name: string, args: JsonObject, signal: AbortSignal): Promise<CallToolResult> {
    const { catalogue, acts } = this.#session;
    const full = itemName(this.#label, name);
    const found = this.#checkSameServer(await catalogue.find('tool', full, signal));
    const tool = catalogue.item('tool', full)?.definition;
    if (tool === undefined || !isToolFor('app', tool)) throw invalid('the tool is not for apps');
    const result = await acts.runAct(this.#act('tool', found, args), found, {
      given: { signal },
      run: (client, permit) => client.attempt(found.name, permit.arguments, { signal, onTask: permit.noteTask }),
      editable: true,
    });
    return toWireResult(withoutHopMeta(result));
  }

  async #readResource(uri: string, signal: AbortSignal): Promise<JsonObject> {
    const { catalogue, acts } = this.#session;
    const found = this.#checkSameServer(catalogue.findResource(this.#label, uri));
    const read = await acts.runAct(this.#act('resource', found, {}), found, {
      given: { signal },
      run: (client) => client.read(uri, { signal, fresh: true }),
    });
    const { contents, meta } = withoutHopMeta(read);
    return { contents, _meta: meta };
  }

  async #openLink(url: string, signal: AbortSignal): Promise<void> {
    const { host, warnings } = readUrlRequest({ message: '', url }, Promise.resolve());
    if (!isSafeToVisit(url)) throw invalid('"url" must begin with https:');
    const asked = { name: url, args: { host }, warnings: visitWarnings(host, warnings) };
    await this.#ask('visit', asked, signal, async () => this.#session.questions?.open?.(url, signal));
  }

  async #message(content: readonly Content[], signal: AbortSignal, tell: OnViewMessage): Promise<void> {
    const text = textIn(content);
    if (text === '') throw invalid('a message has text');
    const warnings = [`The text was written by ${this.#label}, not by you.`, ...warningsIn('It', text)];
    const asked = { name: this.#page.name, args: { role: 'user', content }, warnings };
    await this.#ask('message', asked, signal, async () => tell(text));
  }

  async #updateContext({ content = [], structuredContent }: ModelContext, signal: AbortSignal): Promise<void> {
    const data = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)];
    const text = [textIn(content), ...data].filter((one) => one !== '').join('\n');
    if (text.length > MAX_CONTEXT) throw invalid(`the context has ${MAX_CONTEXT} characters at most`);
    const fenced = [...warningOf(text), fenceText(this.#label, escapeUnprintable(text))].join('\n');
    const act = this.#act('context', this.#page, defined<JsonObject>({ content, structuredContent }));
    const set = async (): Promise<void> =>
      this.#session.setViewContext(`${this.#label} ${this.#page.name}`, text === '' ? undefined : fenced);
    await this.#pass(act, set, { signal, warnings: warningsIn('It', text), outcome: () => 'kept' });
  }

  async #download(
    contents: readonly (EmbeddedResource | ResourceLink)[],
    signal: AbortSignal,
    save: (file: DownloadedFile) => void | Promise<void>,
  ): Promise<void> {
    for (const one of contents) {
      if (one.type !== 'resource') throw invalid('the file itself is needed, not a link to it');
      const { resource } = one;
      const name = fileName(resource.uri);
      const bytes = 'text' in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64');
      const asked = { name, args: { ...one }, warnings: [`The file was made by ${this.#label}.`] };
      await this.#ask('download', asked, signal, async () => save({ name, mimeType: resource.mimeType, bytes }));
    }
  }

  get #label(): string {
    return this.#page.server.label;
  }

  /** Asks about an act that sends nothing to the server, within the rate limit. */
  async #ask(kind: Act['kind'], asked: AskedAct, signal: AbortSignal, run: () => Promise<unknown>): Promise<void> {
    if (!this.#tryTake()) throw invalid('the user is asked too often');
    const { name, args, warnings } = asked;
    const subject = { ...this.#page, name, facts: { claimed: 'unknown', openWorld: true } as const };
    await this.#pass(this.#act(kind, subject, args), run, { signal, warnings, outcome: () => 'done' });
  }

  /** Passes an act that sends nothing to the server, until the session is closed. */
  async #pass(act: Act, run: () => Promise<unknown>, { signal, ...options }: PassOptions): Promise<void> {
    const { acts, gate } = this.#session;
    await acts.run({ signal }, (given) => gate.pass(act, run, { ...options, signal: given.signal }));
  }

  #act(kind: Act['kind'], subject: ActSubject, args: JsonObject): Act {
    return { ...this.#session.acts.actOn(kind, subject, args), by: 'app', view: this.#page.name };
  }

  /** Throws if the label has been reassigned to another server since the page was read. */
  #checkSameServer(subject: ActSubject): ActSubject {
    const { server } = this.#page;
    if (subject.server === server && server.identity().fingerprint === this.#fingerprint) return subject;
    throw new McpError('MCP_CLOSED', { why: 'another server has the label of the view now' });
  }
}

interface AskedAct {
  readonly name: string;
  readonly args: JsonObject;
  readonly warnings: readonly string[];
}

type OnViewMessage = NonNullable<ConnectViewOptions['onMessage']>;

/** Encodes a tool result for a view. */
export const toWireResult = ({ content, data, isError, meta }: AttemptResult): CallToolResult => ({
  content,
  ...(data === undefined ? {} : { structuredContent: data }),
  ...(isError ? { isError } : {}),
  ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
});

const invalid = (why: string): RpcError => new RpcError(INVALID_PARAMS, `Invalid params: ${why}`);

const textIn = (content: readonly Content[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** The last segment of the URI as a safe file name: no separators, no leading dots (path traversal, hidden files). */
function fileName(uri: string): string {
  const [last = ''] = uri.split(/[/\\]/).slice(-1);
  const plain = last
    .replace(/[^\w.-]+/g, '_')
    .slice(-MAX_FILE_NAME)
    .replace(/^\.+/, '');
  return plain === '' ? 'download' : plain;
}
