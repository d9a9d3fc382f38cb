/** Maps upstream names and URIs to exposed ones. The result depends only on label and name, so adding an upstream never renames others. */
import { exportName } from '../../host/catalogue/names.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { PartKind } from '../contract.ts';
import type { NameSpec } from '../spec.ts';
import { type UnwrappedUri, unwrapUri, wrapUri } from './wrapped-uri.ts';

export class ExposedNames {
  readonly #spec: NameSpec;
  readonly #labels: ReadonlySet<string>;

  constructor(spec: NameSpec, labels: readonly string[]) {
    this.#spec = spec;
    this.#labels = new Set(labels);
  }

  get wraps(): boolean {
    return this.#spec.uris !== 'as-is';
  }

  nameOf(label: string, kind: PartKind, key: string): string {
    if (kind === 'resource' || kind === 'template') return this.uriOf(label, key);
    const given = this.#renamed(label);
    if (Object.hasOwn(given, key)) return given[key] ?? key;
    return this.#spec.style === 'bare' ? key : exportName(`${label}.${key}`);
  }

  /** Whether two upstreams can claim the same name. */
  canCollide(kind: PartKind): boolean {
    if (kind === 'resource' || kind === 'template') return !this.wraps;
    return this.#spec.style === 'bare' || Object.keys(this.#spec.rename ?? {}).length > 0;
  }

  /** The upstream names that would be exposed under this name; none if exposed names include the label. */
  keysBehind(label: string, kind: PartKind, name: string): readonly string[] {
    if (kind === 'resource' || kind === 'template') return this.wraps ? [] : [name];
    const given = this.#renamed(label);
    const renamed = Object.entries(given).flatMap(([key, to]) => (to === name ? [key] : []));
    return this.#spec.style === 'bare' && !Object.hasOwn(given, name) ? [...renamed, name] : renamed;
  }

  /** The configured renames of one upstream. */
  #renamed(label: string): Readonly<Record<string, string>> {
    const { rename = {} } = this.#spec;
    return (Object.hasOwn(rename, label) ? rename[label] : undefined) ?? {};
  }

  uriOf(label: string, uri: string): string {
    return this.wraps ? wrapUri(label, uri) : uri;
  }

  /** Splits a wrapped URI into label and upstream URI. */
  unwrap(uri: string): UnwrappedUri | undefined {
    return this.wraps ? unwrapUri(uri, (label) => this.#labels.has(label)) : undefined;
  }

  /** The configured winner of a name that several upstreams claim. */
  preferred(name: string): string | undefined {
    const { prefer = {} } = this.#spec;
    return Object.hasOwn(prefer, name) ? prefer[name] : undefined;
  }

  /** The upstream that an unknown name could belong to, judged by its prefix. */
  labelIn(name: string): string | undefined {
    const label = name.slice(0, Math.max(0, name.indexOf('_')));
    return this.#labels.has(label) ? label : undefined;
  }

  /** Wraps the URI of an MCP Apps page in `_meta`, under the current and the old key. */
  wrapPage(label: string, meta: unknown): unknown {
    if (!this.wraps || !isObject(meta)) return meta;
    const { ui, [OLD_PAGE_KEY]: old } = meta;
    const page = isObject(ui) ? ui['resourceUri'] : undefined;
    return {
      ...meta,
      ...(typeof page === 'string' ? { ui: { ...(ui as JsonObject), resourceUri: wrapUri(label, page) } } : {}), // checked by `page`
      ...(typeof old === 'string' ? { [OLD_PAGE_KEY]: wrapUri(label, old) } : {}),
    };
  }
}

const OLD_PAGE_KEY = 'ui/resourceUri';
