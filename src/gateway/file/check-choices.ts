/** Warns about valid settings whose consequences an operator should know. */
import { isLoopbackHost } from '../../model/loopback.ts';
import { revisions } from '../../revisions/index.ts';
import type { FileTree } from './file-tree.ts';
import { DEFAULT_OPERATIONS, splitAddress } from './split-address.ts';

/** Labels that are also prefixes of URI schemes: `git+https:` would be read as a wrapped URI of the upstream `git`. */
const schemes: ReadonlySet<string> = new Set(['git', 'svn', 'hg', 'bzr', 'web', 'coap', 'ssh']);

export function checkChoices(tree: FileTree, labels: readonly string[]): void {
  checkNodes(tree);
  checkSessions(tree);
  checkNames(tree, labels);
  const operations = splitAddress(tree.textAt('operations', 'listen') ?? DEFAULT_OPERATIONS);
  if (operations !== undefined && !isLoopbackHost(operations.host) && !tree.has('operations', 'token'))
    tree.warning(
      ['operations', 'listen'],
      'other machines can reach this address, so /status and /drain are not served; set "token"',
    );
}

function checkNodes(tree: FileTree): void {
  if (!tree.has('stores', 'redis')) return;
  if (!tree.has('peer'))
    tree.warning(
      ['stores'],
      'several nodes without "peer": waiting calls, live questions and cancellations work only where the balancer brings a caller back to its node',
    );
  for (const label of tree.keysAt('upstreams'))
    if (tree.textAt('upstreams', label, 'isolate') === 'session')
      tree.warning(
        ['upstreams', label, 'isolate'],
        'each node has a session of its own with this upstream for a session of a caller: what the upstream stores is lost when the balancer changes the node; use sticky sessions',
      );
  for (let at = 0; at < tree.lengthAt('policy'); at++)
    if (tree.has('policy', at, 'budget'))
      tree.warning(['policy', at, 'budget'], 'budgets are counted on each node: N nodes allow N times as many calls');
}

function checkSessions(tree: FileTree): void {
  const sessions = tree.textAt('listen', 'sessions');
  if (sessions !== 'sealed' && sessions !== 'none') return;
  const asking = Array.from({ length: tree.lengthAt('policy') }, (_, at) => at).filter((at) =>
    tree.has('policy', at, 'ask'),
  );
  const rules =
    asking.length === 0
      ? ''
      : `, ${asking.length === 1 ? '1 rule that asks denies' : `${asking.length} rules that ask deny`}`;
  const callers = revisions.filter(({ hasSessions }) => hasSessions).map(({ id }) => id);
  tree.warning(
    ['listen', 'sessions'],
    `callers of ${callers.join(', ')} cannot be asked: tools that ask fail${rules}; they also get no log messages, subscriptions and list changes`,
  );
}

function checkNames(tree: FileTree, labels: readonly string[]): void {
  const views = tree.keysAt('views');
  const sizes = views.length === 0 ? [labels.length] : views.map((view) => tree.lengthAt('views', view, 'of'));
  const isShared = sizes.some((size) => size > 1);
  if (isShared && tree.textAt('names', 'style') === 'bare')
    tree.warning(
      ['names', 'style'],
      'a view has several upstreams: a name that two of them use is withheld from both, and all names until every upstream has listed once; assign names with "prefer", or with parts in "views"',
    );
  if (isShared && tree.textAt('names', 'uris') === 'as-is')
    tree.warning(['names', 'uris'], 'a view has several upstreams: a URI that two of them list is withheld from both');
  if (tree.textAt('names', 'uris') !== 'as-is')
    for (const label of labels)
      if (schemes.has(label))
        tree.warning(
          ['upstreams', label],
          `URIs that begin with "${label}+" go to this upstream, also those of schemes such as ${label}+name:; choose another label`,
        );
}
