/** `app({...})`: defines an HTML page, served as a resource, that a host shows with the result of a tool. */
import { badDefinition, messageOf } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { isTemplate } from '../../model/uri-template.ts';
import type { Context } from '../../server/context.ts';
import { type DefinedResource, openPart, type ResourcePart } from '../../server/part.ts';
import { resource } from '../../server/resource.ts';
import { APP_MIME_TYPE, UI_EXTENSION } from './apps-names.ts';
import { readViewSettings, sourceOf, type ViewSettings, writeViewSettings } from './view-policy.ts';
import { VIEW_SCRIPT } from './view-script.ts';

/** The definition of an app. Without `connect`, `load` and `frames`, its page has no network access. */
export interface AppSpec<Uri extends string, Env> extends Partial<ViewSettings> {
  /** A URI of the scheme `ui:`, such as `ui://shop/orders`. */
  readonly uri: Uri;
  readonly title?: string;
  readonly description?: string;
  /** A whole HTML document: text, the URL of a file, or a function that generates the document for each request. */
  readonly html: string | URL | ((context: Context<Env>) => string | Promise<string>);
  /** Inserts the script of `mooring/view`, so that the page has a global `connectView` without a build step. */
  readonly script?: boolean;
  /** Lists the page in `resources/list`. Hosts find it through its tools, so the default is false. */
  readonly listed?: boolean;
  /** OAuth scopes that a caller needs to read the page. */
  readonly scopes?: readonly string[];
}

/** Defines an app: a page for the results of tools. Add it to the parts of a server, and link it to tools with `withApp`. */
export function app<const Uri extends string, Env = unknown>(spec: AppSpec<Uri, Env>): ResourcePart<Uri, Env> {
  if (!isObject(spec)) throw badDefinition('app({ uri, html })', 'expected one object');
  const { uri, title, description, html, scopes, listed = false } = spec;
  const fault = uriFault(uri) ?? settingsFault(spec) ?? (html instanceof URL ? fileFault(html) : textFault(html));
  if (fault !== undefined) throw badDefinition(`app "${uri}"`, fault);
  const ui = writeViewSettings(spec);
  const _meta = { ui };
  const complete = (page: string): string => (spec.script === true ? withScript(page) : page);
  const part = openPart(
    resource<Uri, Env>({
      uri,
      name: title ?? uri.slice('ui://'.length),
      mimeType: APP_MIME_TYPE,
      meta: _meta,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(scopes === undefined ? {} : { scopes }),
      async read(_, context) {
        const text = complete(await documentOf(uri, html, context));
        return [{ uri, mimeType: APP_MIME_TYPE, text, ...(Object.keys(ui).length === 0 ? {} : { _meta }) }];
      },
    }),
  );
  const extras = { declares: [UI_EXTENSION, {}] as const, ...(listed ? {} : { isUnlisted: true as const }) };
  const made: DefinedResource = { ...part, ...extras };
  return made as DefinedResource<Uri>; // the type of its URI is lost above
}

const uriFault = (uri: string): string | undefined =>
  !/^ui:\/\/[^\s{}]+$/.test(uri) || isTemplate(uri) ? 'its URI must begin with ui:// and have no variables' : undefined;

function settingsFault(spec: Partial<ViewSettings>): string | undefined {
  for (const kind of ['connect', 'load', 'frames', 'base'] as const) {
    const invalid = (spec[kind] ?? []).find((origin) => sourceOf(origin) === undefined);
    if (invalid !== undefined)
      return `"${kind}" has ${JSON.stringify(invalid)}; write an origin without a path, such as https://api.example or https://*.cdn.example`;
  }
  const { dropped } = readViewSettings(writeViewSettings(spec));
  return dropped.length === 0 ? undefined : `a host would ignore ${dropped.join(', ')}`;
}

async function documentOf<Env>(
  uri: string,
  html: AppSpec<string, Env>['html'],
  context: Context<Env>,
): Promise<string> {
  if (typeof html === 'string') return html;
  const page = html instanceof URL ? await nodeFiles().promises.readFile(html, 'utf8') : await html(context);
  const fault = textFault(page);
  if (fault !== undefined) throw badDefinition(`app "${uri}"`, fault);
  return page;
}

/** Matches up to the first tag in the head: the doctype, and `<html>` and `<head>` if present. */
const HEAD = /^\uFEFF?\s*<!doctype html\s*>\s*(?:<html\b[^>]*>\s*)?(?:<head\b[^>]*>)?/i;

const textFault = (html: unknown): string | undefined =>
  typeof html === 'function' || (typeof html === 'string' && HEAD.test(html))
    ? undefined
    : 'its HTML must be a whole document that begins with <!doctype html>';

/** Checks the file when the app is defined, so that a mistake does not first appear as an empty frame. */
function fileFault(url: URL): string | undefined {
  if (url.protocol !== 'file:') return `"html" must be a file: URL, not ${url.protocol}`;
  try {
    return textFault(nodeFiles().readFileSync(url, 'utf8'));
  } catch (thrown) {
    return `its HTML cannot be read: ${messageOf(thrown)}`;
  }
}

/** Loads `node:fs` on demand, because this entry point also runs in browsers and edge runtimes. */
const nodeFiles = (): typeof import('node:fs') => process.getBuiltinModule('node:fs');

const withScript = (html: string): string => html.replace(HEAD, (head) => `${head}<script>${VIEW_SCRIPT}</script>`);

/** Whether the capabilities of a client include apps. */
export function canShowApps(capabilities: { readonly extensions?: Readonly<Record<string, unknown>> }): boolean {
  const settings = capabilities.extensions?.[UI_EXTENSION] as JsonObject | null | undefined; // any JSON, checked below
  const types = settings?.['mimeTypes'];
  return Array.isArray(types) && types.includes(APP_MIME_TYPE);
}
