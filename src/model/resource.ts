/** Resources and templates, in the newest revision's words. */
import type { Annotations, Meta, ResourceContents } from './content.ts';
import type { Icon } from './icon.ts';

/** A resource, as a server lists it. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Bytes before any encoding. */
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}
/** A family of resources whose URIs follow a template (RFC 6570). */
export interface ResourceTemplate {
  /** RFC 6570. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}
export interface ReadResourceParams {
  readonly uri: string;
}
/** What reading a resource brought. */
export interface ReadResourceResult extends CacheHints {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
}
/** How long, and among whom, a result may be kept. */
export interface CacheHints {
  readonly ttlMs?: number;
  readonly cacheScope?: 'public' | 'private';
}
