/** Matches a rule against a request: the host's match for the action, plus conditions on the caller. */
import type { Act } from '../../host/act/act.ts';
import { type ActMatch, compileGlob, compileMatch, listOf, type OneOrMore } from '../../host/policy/act-match.ts';
import { badRule, checkIsMatch } from '../../host/policy/check-match.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { suggest } from '../../model/suggest.ts';

/** An argument must equal the value or match the regular expression. */
export type GatewayArgument = string | number | boolean | null | RegExp;
/** A claim must equal the value. In strings, `*` matches any characters. */
export type ClaimPattern = string | number | boolean;

/** All members must match; of a list, one item, except in `scopes`. In strings other than arguments, `*` matches any characters. */
export interface GatewayMatch extends Pick<ActMatch, 'server' | 'effects' | 'status'> {
  readonly view?: OneOrMore<string>;
  readonly kind?: OneOrMore<'tool' | 'prompt' | 'resource'>;
  /** The upstream's own name, or the URI that is read. */
  readonly name?: OneOrMore<string | RegExp>;
  /** For an argument that is a list, `allow` needs every item to match; other rules need one. */
  readonly arguments?: Readonly<Record<string, OneOrMore<GatewayArgument>>>;
  /** The subject of the caller's token, of any issuer; if you trust several, also match `iss` in `claims`. Empty without authorization. */
  readonly principal?: OneOrMore<string>;
  /** The OAuth client id, of any issuer, like `principal`. */
  readonly client?: OneOrMore<string>;
  /** The caller has all of these scopes. */
  readonly scopes?: OneOrMore<string>;
  /** The caller does not have all of these scopes. */
  readonly lacks?: OneOrMore<string>;
  /** By name, or by path such as `realm_access.roles`. Of a claim that is a list, one item must match. */
  readonly claims?: Readonly<Record<string, OneOrMore<ClaimPattern>>>;
}

/** What is verified about a caller, and the view that it uses. */
export interface CallerFacts extends Pick<AuthInfo, 'issuer' | 'subject' | 'clientId' | 'scopes' | 'claims'> {
  readonly view: string;
}

/** What a rule is matched against. For a list, arguments are unknown, and so are the URIs of a template. */
export interface RuleSubject {
  readonly act: Act;
  readonly caller: CallerFacts;
  readonly hasArguments: boolean;
  readonly hasName: boolean;
}

/** `perhaps`: depends on something unknown, such as arguments. */
export type MatchCertainty = 'yes' | 'no' | 'perhaps';

const matchMembers: readonly (keyof GatewayMatch)[] = [
  'server',
  'view',
  'kind',
  'name',
  'effects',
  'arguments',
  'status',
  'principal',
  'client',
  'scopes',
  'lacks',
  'claims',
];

const callerMembers: readonly (keyof GatewayMatch)[] = ['principal', 'client', 'scopes', 'lacks', 'claims'];

/** Whether the match depends on the caller. */
export const readsCaller = (match: GatewayMatch): boolean =>
  callerMembers.some((member) => match[member] !== undefined);

/**
 * Compiles a match. Conditions on known values give the same result for a list and a call, so a part that is not listed is never
 * callable.
 */
export function compileGatewayMatch(
  match: GatewayMatch,
  strictness: 'strict' | 'lenient',
): (subject: RuleSubject) => MatchCertainty {
  checkMembers(match);
  const { view, client, scopes, lacks, claims, name, arguments: args, ...rest } = match;
  const isFixed = compileMatch(rest, strictness);
  const isCaller = callerTests({ view, client, scopes, lacks, claims });
  const isNamed = name === undefined ? undefined : compileMatch({ name }, strictness);
  const isArgued = args === undefined ? undefined : compileMatch({ arguments: args }, strictness);
  return ({ act, caller, hasArguments, hasName }) => {
    if (!isFixed(act) || !isCaller.every((test) => test(caller))) return 'no';
    if (isNamed !== undefined && hasName && !isNamed(act)) return 'no';
    if (isArgued !== undefined && hasArguments && !isArgued(act)) return 'no';
    return (isNamed === undefined || hasName) && (isArgued === undefined || hasArguments) ? 'yes' : 'perhaps';
  };
}

type CallerMatch = { readonly [K in 'view' | 'client' | 'scopes' | 'lacks' | 'claims']: GatewayMatch[K] | undefined };

function callerTests({ view, client, scopes, lacks, claims }: CallerMatch): ((caller: CallerFacts) => boolean)[] {
  const tests: ((caller: CallerFacts) => boolean)[] = [];
  const hasAll = (caller: CallerFacts, some: OneOrMore<string>): boolean =>
    listOf(some).every((scope) => caller.scopes.includes(scope));
  if (view !== undefined) tests.push(onText(view, (caller) => caller.view));
  if (client !== undefined) tests.push(onText(client, ({ clientId }) => clientId));
  if (scopes !== undefined) tests.push((caller) => hasAll(caller, scopes));
  if (lacks !== undefined) tests.push((caller) => !hasAll(caller, lacks));
  for (const [path, patterns] of Object.entries(claims ?? {})) tests.push(onClaim(path, patterns));
  return tests;
}

function onText(patterns: OneOrMore<string>, of: (caller: CallerFacts) => string | undefined) {
  const tests = listOf(patterns).map(compileGlob);
  return (caller: CallerFacts): boolean => {
    const text = of(caller);
    return text !== undefined && tests.some((test) => test(text));
  };
}

function onClaim(path: string, patterns: OneOrMore<ClaimPattern>) {
  const tests = listOf(patterns).map((pattern): ((value: unknown) => boolean) => {
    if (typeof pattern !== 'string') return (value) => value === pattern;
    const glob = compileGlob(pattern);
    return (value) => typeof value === 'string' && glob(value);
  });
  return ({ claims = {} }: CallerFacts): boolean => {
    const value = claimAt(claims, path);
    return (Array.isArray(value) ? value : [value]).some((one) => tests.some((test) => test(one)));
  };
}

/** A claim's name can contain dots, for example if it is a URL. */
function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>(memberOf, claims);
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Validates the members that only gateways have; `compileMatch` validates the rest. */
function checkMembers(match: GatewayMatch): void {
  checkIsMatch(match);
  for (const [member, value] of Object.entries(match)) {
    if (!matchMembers.some((known) => known === member))
      throw badRule(`"${member}" is not known; ${suggest(member, matchMembers)}`);
    const isTable = member === 'claims' || member === 'arguments';
    if (isTable && !isObject(value)) throw badRule(`"${member}" must be an object of patterns`);
    const lists = (isTable ? Object.values(value) : [value]).map(listOf<unknown>);
    if (lists.length === 0 || lists.some(({ length }) => length === 0))
      throw badRule(`"${member}" must not be empty: it would match nothing`);
    const fault = lists
      .flat()
      .map((one) => valueFault(member, one))
      .find((found) => found !== undefined);
    if (fault !== undefined) throw badRule(`"${member}" ${fault}`);
  }
}

const kinds: readonly unknown[] = ['tool', 'prompt', 'resource'];
const plain: readonly string[] = ['string', 'number', 'boolean'];

function valueFault(member: string, value: unknown): string | undefined {
  if (value === undefined) return 'must have a value: without one it would match everything';
  if (member === 'kind') return kinds.includes(value) ? undefined : `must be one of ${kinds.join(', ')}`;
  if (member === 'claims') return plain.includes(typeof value) ? undefined : 'must have text, numbers or booleans';
  if (member === 'arguments')
    return value === null || value instanceof RegExp || plain.includes(typeof value)
      ? undefined
      : 'must have values or regular expressions; functions are for hosts';
  const isText = typeof value === 'string' && value !== '';
  return ['view', 'client', 'scopes', 'lacks'].includes(member) && !isText ? 'must be text' : undefined;
}
