/** Checks what the schema of the file cannot express: members that need or exclude each other, and references. */
import { type JsoncPath, plainValue } from '../../files/jsonc-tree.ts';
import { isHeaderName, isHeaderValue } from '../../model/header-fields.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import { suggest } from '../../model/suggest.ts';
import { type RuleEntry, ruleFaults } from '../policy/read-rules.ts';
import type { FileTree } from './file-tree.ts';
import { DEFAULT_LISTEN, DEFAULT_OPERATIONS, DEFAULT_PATH, splitAddress } from './split-address.ts';
import { upstreamUrlFault } from './upstream-url-fault.ts';

/** `labels`: the upstreams of the file and of its imports. */
export function checkMeaning(tree: FileTree, labels: readonly string[]): void {
  if (labels.length === 0) tree.error(['upstreams'], 'there is no upstream; name at least one');
  for (const label of tree.keysAt('upstreams')) checkUpstream(tree, label);
  checkListeners(tree);
  checkSsePath(tree);
  checkSessions(tree);
  checkPrivateWays(tree, [
    ['auth', 'issuer'],
    ['auth', 'jwksUri'],
  ]);
  checkKeys(tree);
  checkRules(tree);
  checkReferences(tree, labels);
}

function checkUpstream(tree: FileTree, label: string): void {
  const at: JsoncPath = ['upstreams', label];
  const [hasUrl, hasCommand] = [tree.has(...at, 'url'), tree.has(...at, 'command')];
  if (hasUrl === hasCommand) {
    tree.error(at, `an upstream has either "url" or "command"; this one has ${hasUrl ? 'both' : 'neither'}`);
    return;
  }
  const stray = (hasUrl ? ['args', 'env', 'cwd'] : ['headers', 'auth']).filter((name) => tree.has(...at, name));
  for (const name of stray)
    tree.error([...at, name], `"${name}" is for an upstream with "${hasUrl ? 'command' : 'url'}"; remove it`);
  const url = tree.textAt(...at, 'url');
  const fault = url !== undefined && /^https?:/.test(url) && !url.includes('${') ? upstreamUrlFault(url) : undefined;
  if (fault !== undefined) tree.error([...at, 'url'], fault);
  const token = tree.keysAt(...at, 'auth').find((name) => name !== 'static');
  if (token !== undefined && url !== undefined && URL.canParse(url) && !isPrivateWay(new URL(url)))
    tree.error([...at, 'url'], 'tokens are sent over https: only, or on this machine; use https:');
  const personal = tree.keysAt(...at, 'auth').find((name) => name === 'exchange' || name === 'enterpriseManaged');
  if (personal !== undefined && !tree.has('auth'))
    tree.error([...at, 'auth'], `"${personal}" is made of the caller's token; set "auth" so that callers have one`);
  const idp: JsoncPath = [...at, 'auth', 'enterpriseManaged', 'idp'];
  if (tree.has(...idp) && !tree.has(...idp, 'issuer') && !tree.has(...idp, 'tokenEndpoint'))
    tree.error(idp, 'the identity provider has an "issuer" or a "tokenEndpoint"; add one');
  checkPrivateWays(tree, [
    [...at, 'auth', 'exchange', 'endpoint'],
    [...idp, 'issuer'],
    [...idp, 'tokenEndpoint'],
  ]);
  checkHeaders(tree, at);
}

const isPrivateWay = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || isLoopbackHost(hostname);

/** These endpoints decide who callers are, so their traffic must be encrypted or local. */
function checkPrivateWays(tree: FileTree, paths: readonly JsoncPath[]): void {
  for (const path of paths) {
    const url = tree.textAt(...path) ?? '';
    if (URL.canParse(url) && !isPrivateWay(new URL(url)))
      tree.error(path, 'use https:; http: is accepted only on this machine');
  }
}

/** `headers` and `auth.static.headers` are merged, so a name must not be in both. */
function checkHeaders(tree: FileTree, upstream: JsoncPath): void {
  const seen = new Set<string>();
  for (const at of [
    [...upstream, 'headers'],
    [...upstream, 'auth', 'static', 'headers'],
  ])
    for (const name of tree.keysAt(...at)) {
      const path: JsoncPath = [...at, name];
      if (!isHeaderName(name)) tree.error(path, 'this is not a valid HTTP header name');
      if (!isHeaderValue(tree.textAt(...path) ?? '')) tree.error(path, 'this is not a valid HTTP header value');
      if (seen.has(name.toLowerCase())) tree.error(path, 'this header is set twice; remove one');
      seen.add(name.toLowerCase());
    }
}

function checkListeners(tree: FileTree): void {
  const address = splitAddress(tree.textAt('listen', 'address') ?? '');
  const isOpen = address !== undefined && !isLoopbackHost(address.host);
  if (isOpen && !tree.has('auth'))
    tree.error(['listen', 'address'], 'other machines can reach this address; set "auth", or listen on 127.0.0.1');
  if (isOpen && tree.lengthAt('listen', 'hosts') === 0)
    tree.error(['listen'], 'callers from other machines use a host name; name it in "hosts"');
  const listeners: readonly (readonly [path: JsoncPath, otherwise: string])[] = [
    [['listen', 'address'], DEFAULT_LISTEN],
    [['operations', 'listen'], DEFAULT_OPERATIONS],
    [['peer', 'listen'], ''],
  ];
  const seen = new Set<string>();
  for (const [path, otherwise] of listeners) {
    const text = tree.textAt(...path) ?? otherwise;
    if ((splitAddress(text)?.port ?? 0) > 65_535) tree.error(path, 'a port is a number from 0 to 65535');
    if (text !== '' && seen.has(text) && !text.endsWith(':0'))
      tree.error(path, `another listener has the address ${text}; choose another port`);
    seen.add(text);
  }
}

function checkSsePath(tree: FileTree): void {
  const path = tree.textAt('listen', 'path') ?? DEFAULT_PATH;
  const sse = tree.textAt('listen', 'sse');
  const views = tree.keysAt('views').map((view) => `${path}/${view}`);
  if (sse !== undefined && [path, ...views].includes(sse))
    tree.error(['listen', 'sse'], `a view is served at ${sse}; choose another path`);
}

/** Rejects settings that need stored sessions. */
function checkSessions(tree: FileTree): void {
  const sessions = tree.textAt('listen', 'sessions');
  if (sessions !== 'sealed' && sessions !== 'none') return;
  if (tree.has('listen', 'sse'))
    tree.error(['listen', 'sse'], `HTTP+SSE needs sessions that are kept; remove "sse", or set sessions to store`);
  for (const label of tree.keysAt('upstreams'))
    if (tree.textAt('upstreams', label, 'isolate') === 'session')
      tree.error(
        ['upstreams', label, 'isolate'],
        `with sessions: ${sessions}, each call would begin a session of its own, and what the upstream keeps for it would be gone; set sessions to store, or isolate to principal`,
      );
}

function checkKeys(tree: FileTree): void {
  if (tree.textAt('listen', 'sessions') === 'sealed' && !tree.has('keys', 'state'))
    tree.error(['listen', 'sessions'], 'sealed sessions need "keys.state"; add at least one key');
  if (tree.has('peer') && !tree.has('keys', 'peer'))
    tree.error(['peer'], 'nodes need "keys.peer"; add at least one key');
  if (tree.has('peer') && !tree.has('keys', 'state'))
    tree.error(['peer'], 'nodes need the same "keys.state"; add at least one key');
  if (tree.has('peer') && !tree.has('stores', 'redis'))
    tree.error(['peer'], 'nodes find each other through "stores.redis"; add it');
  for (const name of ['state', 'peer']) {
    const text = tree.textAt('keys', name);
    if (text === undefined || text.includes('${')) continue;
    const isKeys =
      text.trim() !== '' &&
      text
        .trim()
        .split(/\s+/)
        .every((key) => /^[\w-]{43}=?$/.test(key));
    if (!isKeys) tree.error(['keys', name], 'expected keys of 32 bytes in base64url, 43 characters each');
  }
}

/** Compiles each well-formed rule to find errors that the schema cannot, such as a wrong regular expression. */
function checkRules(tree: FileTree): void {
  for (let at = 0; at < tree.lengthAt('policy'); at++) {
    const node = tree.nodeAt(['policy', at]);
    if (node === undefined || tree.hasErrorIn('policy', at)) continue;
    const entry = plainValue(node) as RuleEntry; // hasErrorIn excludes malformed ones
    for (const { path, why } of ruleFaults(entry)) tree.error(['policy', at, ...path], why);
  }
}

function checkReferences(tree: FileTree, labels: readonly string[]): void {
  const known = (path: JsoncPath, label: string): void => {
    if (!labels.includes(label)) tree.error(path, `unknown upstream "${label}"; ${suggest(label, labels)}`);
  };
  for (const view of tree.keysAt('views')) {
    const members: string[] = [];
    for (let at = 0; at < tree.lengthAt('views', view, 'of'); at++) {
      const path: JsoncPath = ['views', view, 'of', at];
      const named = [...tree.textsAt(...path), ...tree.keysAt(...path)];
      for (const label of named) {
        known(path, label);
        if (members.includes(label))
          tree.error(path, `the view "${view}" has the upstream "${label}" already; name it once`);
      }
      members.push(...named);
    }
    for (const [at, label] of tree.textsAt('views', view, 'apps').entries())
      if (!members.includes(label))
        tree.error(
          ['views', view, 'apps', at],
          `the view "${view}" has no upstream "${label}"; ${suggest(label, members)}`,
        );
  }
  for (const label of tree.keysAt('names', 'rename')) known(['names', 'rename', label], label);
  for (const name of tree.keysAt('names', 'prefer'))
    known(['names', 'prefer', name], tree.textAt('names', 'prefer', name) ?? '');
  for (let at = 0; at < tree.lengthAt('policy'); at++)
    for (const verdict of tree.keysAt('policy', at)) {
      const inside = verdict === 'budget' ? ['match', 'server'] : verdict === 'trustAnnotationsOf' ? [] : ['server'];
      const path: JsoncPath = ['policy', at, verdict, ...inside];
      // A pattern can be meant for upstreams that are added later.
      for (const label of tree.textsAt(...path)) if (!label.includes('*')) known(path, label);
    }
}
