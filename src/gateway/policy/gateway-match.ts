/** Whether a rule of a gateway is about a request: the host's match on what is done, and more on the caller. */
import type { Act } from '../../host/act/act.ts';
import { type ActMatch, compileGlob, compileMatch, listOf, type OneOrMore } from '../../host/policy/act-match.ts';
import { badRule, checkIsMatch } from '../../host/policy/check-match.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { suggest } from '../../model/suggest.ts';

/** What an argument must be: this value, or text like this. */
export type GatewayArgument = string | number | boolean | null | RegExp;
/** What a claim must be. In text, `*` stands for anything. */
export type ClaimPattern = string | number | boolean;

/** All that is named must hold; of a list, one, except for `scopes`. In strings, `*` stands for anything; not in arguments. */
export interface GatewayMatch extends Pick<ActMatch, 'server' | 'effects' | 'status'> {
  readonly view?: OneOrMore<string>;
  readonly kind?: OneOrMore<'tool' | 'prompt' | 'resource'>;
  /** What the upstream calls it: a name, or the URI that is read. */
  readonly name?: OneOrMore<string | RegExp>;
  /** As in a host: `allow` needs every item of a list to match, the others need one. */
  readonly arguments?: Readonly<Record<string, OneOrMore<GatewayArgument>>>;
  /** The subject of the caller's token, of whichever issuer: where you trust several, name it in `claims` as `iss`. Empty without authorization. */
  readonly principal?: OneOrMore<string>;
  /** The OAuth client id of the program that calls. */
  readonly client?: OneOrMore<string>;
  /** The caller has all of these scopes. */
  readonly scopes?: OneOrMore<string>;
  /** The caller does not have all of these scopes. */
  readonly lacks?: OneOrMore<string>;
  /** By name, or by path as in `realm_access.roles`. Of a claim that is a list, one item must match. */
  readonly claims?: Readonly<Record<string, OneOrMore<ClaimPattern>>>;
}

/** What was verified about a caller, and where it calls. */
export interface CallerFacts extends Pick<AuthInfo, 'issuer' | 'subject' | 'clientId' | 'scopes' | 'claims'> {
  readonly view: string;
}

/** What rules look at. For a list, the arguments are not known, nor the URIs that a template stands for. */
export interface RuleSubject {
  readonly act: Act;
  readonly caller: CallerFacts;
  readonly hasArguments: boolean;
  readonly hasName: boolean;
}

/** `perhaps`: it depends on what is not known yet. */
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

/** Whether another caller could get another answer. */
export const readsCaller = (match: GatewayMatch): boolean =>
  callerMembers.some((member) => match[member] !== undefined);

/** What does not look at the unknown says the same for a list as for a call: what is not listed is then never callable. */
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

/** Names of claims can have dots in them, as in those that are URLs. */
function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>(memberOf, claims);
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Members of the host's match are checked where it is compiled. */
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
