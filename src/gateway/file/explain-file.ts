/** Explains how a file treats one name for one caller: listed or not, by which rule, and where a call goes (`mooring gateway explain`). */
import { callerOfClaims } from '../../auth/server/claims.ts';
import { compileGlob } from '../../host/policy/act-match.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ExposedPart } from '../contract.ts';
import { ExposedNames } from '../names/exposed-names.ts';
import { explainPart, type PolicyExplanation } from '../policy/decide-request.ts';
import type { CallerFacts } from '../policy/gateway-match.ts';
import { withTrustedUpstreams } from '../policy/gateway-rules.ts';
import { readRule } from '../policy/read-rules.ts';
import { screenPart } from '../policy/withheld-part.ts';
import { DEFAULT_VIEW, labelsIn, type ViewSelection, type ViewSpec } from '../spec.ts';
import type { GatewayFile, UpstreamEntry } from './gateway-file.ts';

export interface FileExplanation extends PolicyExplanation {
  readonly upstream: string;
  readonly kind: ExposedPart['kind'];
  /** The upstream's own name. */
  readonly name: string;
  /** The URL's origin or the command, without arguments, which can hold secrets. */
  readonly target: string;
  readonly credential: string;
  readonly conversation: string;
  readonly revisions: string;
}

export interface ExplainedCaller {
  /** Of the caller's token; undefined without one. */
  readonly claims: JsonObject | undefined;
  readonly view: string;
}

/** One explanation per upstream that can have this name; none if the view has no such upstream. */
export function explainName(
  config: GatewayFile,
  name: string,
  { claims, view: viewName }: ExplainedCaller,
): readonly FileExplanation[] {
  const { upstreams = {}, policy, names = {} } = config;
  const caller: CallerFacts = { scopes: [], ...(claims && callerOfClaims(claims)), view: viewName };
  const labels = Object.keys(upstreams);
  const views: Readonly<Record<string, ViewSpec>> = config.views ?? { [DEFAULT_VIEW]: { of: labels } };
  const view = Object.hasOwn(views, viewName) ? views[viewName] : undefined;
  if (view === undefined) return [];
  const trusted = Object.entries(upstreams).flatMap(([label, { trust }]) =>
    trust?.annotations === true ? [label] : [],
  );
  const all = withTrustedUpstreams(trusted, policy?.map(readRule));
  const exposed = new ExposedNames(names, view.of.flatMap(labelsIn));
  return Object.entries(upstreams).flatMap(([label, entry]) =>
    partsOf(name, label, exposed).flatMap((part) => {
      if (!isShown(view, part)) return [];
      return [
        { upstream: label, kind: part.kind, name: part.key, ...explainPart(all, part, caller), ...factsOf(entry) },
      ];
    }),
  );
}

/** The parts of this upstream that the name could mean. A file does not know what upstreams list. */
function partsOf(name: string, label: string, names: ExposedNames): readonly ExposedPart[] {
  const part = (kind: ExposedPart['kind'], key: string): ExposedPart => ({ label, kind, key, name, definition: {} });
  const prefix = `${label}__`;
  const candidates = [
    ...names.keysBehind(label, 'tool', name),
    ...(name.startsWith(prefix) ? [name.slice(prefix.length)] : []),
  ];
  const own = candidates.find((key) => names.nameOf(label, 'tool', key) === name);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(name)) return own === undefined ? [] : [part('tool', own)];
  const wrapped = names.wraps ? names.unwrap(name) : { label, uri: name };
  return wrapped?.label === label ? [part('resource', wrapped.uri)] : [];
}

function isShown({ of, apps = [] }: ViewSpec, part: ExposedPart): boolean {
  const { label, kind, key } = part;
  const members = of.flatMap(labelsIn);
  const member = of.find((one) => labelsIn(one).includes(label));
  if (
    member === undefined ||
    'withheld' in screenPart(part, { passesApps: members.length === 1 || apps.includes(label) })
  )
    return false;
  const kinds: keyof ViewSelection = kind === 'tool' ? 'tools' : 'resources';
  return typeof member === 'string' || (member[label]?.[kinds] ?? []).some((pattern) => compileGlob(pattern)(key));
}

function factsOf({
  url,
  command,
  auth = {},
  isolate,
  revisions,
}: UpstreamEntry): Pick<FileExplanation, 'target' | 'credential' | 'conversation' | 'revisions'> {
  const [credential = 'none'] = Object.keys(auth);
  const isPersonal = credential === 'exchange' || credential === 'enterpriseManaged';
  return {
    target: command ?? new URL(url ?? 'about:blank').origin,
    credential: isPersonal ? `${credential}, for this caller and these scopes` : credential,
    conversation: isolate ?? (isPersonal ? 'principal' : 'shared without a handshake, otherwise principal'),
    revisions: revisions?.join(', ') ?? 'negotiated when it connects',
  };
}
