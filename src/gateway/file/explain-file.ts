/** Explains how a file treats one name for one caller: listed or not, by which rule, and where a call goes (`mooring gateway explain`). */
import { compileGlob } from '../../host/policy/act-match.ts';
import type { ExposedPart } from '../contract.ts';
import { unwrapUri } from '../names/wrapped-uri.ts';
import { explainPart, type PolicyExplanation } from '../policy/decide-request.ts';
import type { CallerFacts } from '../policy/gateway-match.ts';
import { withTrustedUpstreams } from '../policy/gateway-rules.ts';
import { readRule } from '../policy/read-rules.ts';
import { labelsIn, type ViewSelection, type ViewSpec } from '../spec.ts';
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

/** One explanation per upstream that can have this name; none if the view has no such upstream. */
export function explainName(config: GatewayFile, name: string, caller: CallerFacts): readonly FileExplanation[] {
  const { upstreams = {}, views, policy, names = {} } = config;
  const specs: Readonly<Record<string, ViewSpec>> = views ?? { [caller.view]: { of: Object.keys(upstreams) } };
  const view = Object.hasOwn(specs, caller.view) ? specs[caller.view] : undefined;
  const trusted = Object.entries(upstreams).flatMap(([label, { trust }]) =>
    trust?.annotations === true ? [label] : [],
  );
  const all = withTrustedUpstreams(trusted, policy?.map(readRule));
  return Object.entries(upstreams).flatMap(([label, entry]) =>
    partsOf(name, label, names).flatMap((part) => {
      if (view === undefined || !isShown(view, part)) return [];
      const policyFacts = explainPart(all, part, caller);
      return [{ upstream: label, kind: part.kind, name: part.key, ...policyFacts, ...factsOf(entry) }];
    }),
  );
}

/** The parts of this upstream that the name could mean. A file does not know what upstreams list. */
function partsOf(
  name: string,
  label: string,
  { style = 'prefix', uris = 'wrap', rename }: NonNullable<GatewayFile['names']>,
): readonly ExposedPart[] {
  const part = (kind: ExposedPart['kind'], key: string): ExposedPart => ({ label, kind, key, name, definition: {} });
  const own = Object.entries(rename?.[label] ?? {}).find(([, exposed]) => exposed === name)?.[0];
  if (own !== undefined) return [part('tool', own)];
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) {
    const key = uris === 'as-is' ? name : unwrapUri(name, (one) => one === label)?.uri;
    return key === undefined ? [] : [part('resource', key)];
  }
  if (style === 'bare') return [part('tool', name)];
  return name.startsWith(`${label}__`) ? [part('tool', name.slice(label.length + 2))] : [];
}

function isShown({ of }: ViewSpec, { label, kind, key }: ExposedPart): boolean {
  const member = of.find((one) => labelsIn(one).includes(label));
  if (member === undefined || typeof member === 'string') return member !== undefined;
  const kinds: keyof ViewSelection = kind === 'tool' ? 'tools' : 'resources';
  return (member[label]?.[kinds] ?? []).some((pattern) => compileGlob(pattern)(key));
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
