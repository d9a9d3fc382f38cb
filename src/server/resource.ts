/** `resource({...})` defines a resource: data that clients read by a URI, or by a URI template. */
import { badDefinition } from '../errors.ts';
import { defined, isObject } from '../jsonrpc/message.ts';
import type { Annotations, ResourceContents } from '../model/content.ts';
import type { CacheHints, ReadResourceResult, Resource, ResourceTemplate } from '../model/parts.ts';
import { isTemplate, isUri, UriTemplate, type Variables } from '../model/uri-template.ts';
import type { Context, ResourceListContext } from './context.ts';
import {
  cacheFault,
  completeFault,
  completersOf,
  describedBy,
  type MemberNames,
  notObject,
  type PartSpec,
  partFault,
  partMembers,
} from './definition.ts';
import type { Completer, DefinedResource, ResourcePart, ReturnedObject } from './part.ts';

/** Text, bytes, an object to send as JSON, contents, or a result in the protocol's own form. `undefined` and `null` mean that the resource does not exist. */
export type ReadValue =
  | string
  | Uint8Array
  | ReadResourceResult
  | ReturnedObject
  | readonly ResourceContents[]
  | null
  | undefined;

/** The definition of a resource. With `{names}` in its URI, it is a template. */
export interface ResourceSpec<Uri extends string, Env> extends PartSpec {
  /** A URI, or an RFC 6570 template such as `orders://{id}`. */
  readonly uri: Uri;
  readonly name?: string;
  readonly mimeType?: string;
  /** Size in bytes, before any encoding. */
  readonly size?: number;
  readonly annotations?: Annotations;
  /** How long the contents can be cached, and whether callers can share them. */
  readonly cache?: CacheHints;
  /** Suggestions for the template's variables. */
  readonly complete?: { readonly [K in keyof Variables<Uri>]?: Completer<Env> };
  /** Returns the resources of a template for `resources/list`, at most 10,000. Called for each page, so their order must be stable. */
  list?(context: ResourceListContext<Env>): readonly ListedResource[] | Promise<readonly ListedResource[]>;
  read(variables: Variables<Uri>, context: Context<Env>): ReadValue | Promise<ReadValue>;
}

/** A resource of a template, as `list` returns it. Missing members are taken from the template. */
export type ListedResource = Pick<
  ResourceSpec<string, unknown>,
  'uri' | 'name' | 'title' | 'description' | 'icons' | 'meta' | 'mimeType' | 'size' | 'annotations'
>;

const members: MemberNames<ResourceSpec<string, unknown>> = {
  uri: 'uriTemplate',
  name: 1,
  mimeType: 1,
  size: 1,
  annotations: 1,
  cache: 1,
  complete: 1,
  list: 1,
  read: 'run load',
  ...partMembers,
};

/** Defines a resource, or with a URI template a family of resources, which clients read by URI. */
export function resource<const Uri extends string, Env = unknown>(
  spec: ResourceSpec<Uri, Env>,
): ResourcePart<Uri, Env> {
  if (!isObject(spec)) throw badDefinition('resource({ uri, read })', notObject);
  const { uri } = spec;
  const what = `resource "${uri}"`;
  const template = isTemplate(String(uri)) ? new UriTemplate(uri) : undefined;
  const none =
    typeof uri === 'string' && isUri(template?.expand({}) ?? uri) ? undefined : 'not a URI (scheme:rest, RFC 3986)';
  const fault =
    partFault(spec, members, 'read') ??
    none ??
    cacheFault(spec.cache) ??
    completeFault(spec.complete, template?.variables ?? []) ??
    (spec.list && !template ? '"list" needs a template such as orders://{id}' : undefined);
  if (fault !== undefined) throw badDefinition(what, fault);
  const { name = uri, mimeType, size, annotations } = spec;
  const shared = { name, ...describedBy(spec), mimeType, annotations };
  const made: DefinedResource<Uri> = {
    kind: 'resource',
    uri,
    definition:
      template === undefined
        ? defined<Resource>({ uri, ...shared, size })
        : defined<ResourceTemplate>({ uriTemplate: uri, ...shared }),
    template,
    scopes: spec.scopes ?? [],
    mimeType,
    cache: spec.cache ?? {},
    complete: completersOf(spec.complete),
    list: spec.list?.bind(spec),
    // The template's own match produced the variables.
    read: (variables, context) => spec.read(variables as Variables<Uri>, context),
  };
  return made;
}
