/** Changes that a server notifies clients of, and the filter of a client that subscribes to them. */
import { defined, isObject } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from './caller.ts';

/** A change of a list, or of one resource. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/** Whether a value from another process is a change. */
export function isChange(value: unknown): value is Change {
  if (!isObject(value)) return false;
  const { kind, uri } = value;
  return kind === 'resource' ? typeof uri === 'string' : kind === 'tools' || kind === 'prompts' || kind === 'resources';
}

/** The changes a client subscribes to. */
export type ChangeFilter = {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
};

/** Resources that one session or stream can watch: each takes memory until the session or stream ends. */
export const MAX_SUBSCRIPTIONS = 1024;

/** The part of a filter that a server with these capabilities can serve. */
export function grantedFilter(asked: ChangeFilter, { tools, prompts, resources }: ServerCapabilities): ChangeFilter {
  const ifOffered = (flag: unknown, list?: { readonly listChanged?: boolean }): true | undefined =>
    flag === true && list?.listChanged === true ? true : undefined;
  return defined<ChangeFilter>({
    toolsListChanged: ifOffered(asked.toolsListChanged, tools),
    promptsListChanged: ifOffered(asked.promptsListChanged, prompts),
    resourcesListChanged: ifOffered(asked.resourcesListChanged, resources),
    resourceSubscriptions: resources?.subscribe === true ? asked.resourceSubscriptions : undefined,
  });
}

/** Whether a server that declared these capabilities can send a notification of this change. */
export function canNotify({ tools, prompts, resources }: ServerCapabilities, change: Change): boolean {
  if (change.kind === 'resource') return resources?.subscribe === true;
  return { tools, prompts, resources }[change.kind]?.listChanged === true;
}

export function filterCovers(filter: ChangeFilter, change: Change): boolean {
  if (change.kind === 'resource') return filter.resourceSubscriptions?.includes(change.uri) === true;
  if (change.kind === 'tools') return filter.toolsListChanged === true;
  if (change.kind === 'prompts') return filter.promptsListChanged === true;
  return filter.resourcesListChanged === true;
}
