/** The gateway's file, checked and with its placeholders filled in. */

type TextOrTexts = string | readonly string[];
type Texts = Readonly<Record<string, string>>;

export interface GatewayFile {
  readonly $schema?: string;
  readonly gateway?: FileIdentity;
  readonly listen?: ListenEntry;
  readonly operations?: OperationsEntry;
  readonly secrets?: SecretsEntry;
  readonly auth?: AuthEntry;
  readonly upstreams?: Readonly<Record<string, UpstreamEntry>>;
  readonly import?: TextOrTexts;
  readonly views?: Readonly<Record<string, ViewEntry>>;
  readonly names?: NamesEntry;
  readonly policy?: readonly RuleEntry[];
  readonly rates?: RatesEntry;
  readonly stores?: StoresEntry;
  readonly keys?: KeysEntry;
  readonly peer?: PeerEntry;
  readonly lock?: string;
  readonly audit?: AuditEntry;
  readonly drain?: DrainEntry;
}

export interface FileIdentity {
  readonly name?: string;
  readonly version?: string;
  readonly instructions?: string;
}

export interface ListenEntry {
  readonly address?: string;
  readonly hosts?: readonly string[];
  readonly origins?: readonly string[];
  readonly path?: string;
  readonly sse?: string;
  readonly sessions?: 'store' | 'sealed' | 'none';
}

export interface OperationsEntry {
  readonly listen?: string;
  readonly token?: string;
}

export interface SecretsEntry {
  readonly folder?: string;
  readonly command?: readonly string[];
}

export interface AuthEntry {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri?: string;
  readonly scopes?: readonly string[];
}

export interface ClientEntry {
  readonly id: string;
  readonly secret?: string;
  readonly issuer?: string;
}

export interface UpstreamAuthEntry {
  readonly static?: { readonly headers: Texts };
  readonly clientCredentials?: { readonly client: ClientEntry; readonly scopes?: readonly string[] };
  readonly exchange?: ExchangeEntry;
  readonly enterpriseManaged?: EnterpriseEntry;
}

export interface ExchangeEntry {
  readonly endpoint: string;
  readonly audience?: string;
  readonly client: ClientEntry;
  readonly scopes?: readonly string[];
}

export interface EnterpriseEntry {
  readonly idp: { readonly issuer?: string; readonly tokenEndpoint?: string; readonly client: ClientEntry };
  readonly client: ClientEntry;
  readonly scopes?: readonly string[];
}

export interface UpstreamEntry {
  readonly url?: string;
  readonly headers?: Texts;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Texts;
  readonly cwd?: string;
  readonly auth?: UpstreamAuthEntry;
  readonly isolate?: 'shared' | 'principal' | 'session' | 'call';
  readonly revisions?: readonly string[];
  readonly timeouts?: TimeoutsEntry;
  readonly limits?: LimitsEntry;
  readonly idleMs?: number;
  readonly circuit?: CircuitEntry | false;
  readonly retry?: { readonly attempts?: number; readonly on?: readonly ('unseen' | 'repeatable' | 'idempotent')[] };
  readonly questions?: QuestionsEntry;
  readonly trust?: TrustEntry;
}

export interface TimeoutsEntry {
  readonly connectMs?: number;
  readonly callMs?: number;
  readonly maxCallMs?: number;
  readonly listMs?: number;
  readonly waitMs?: number;
}

export interface LimitsEntry {
  readonly conversations?: number;
  readonly conversationsPerPrincipal?: number;
  readonly calls?: number;
  readonly queue?: number;
  readonly queueMs?: number;
}

export interface CircuitEntry {
  readonly failures?: number;
  readonly windowMs?: number;
  readonly openMs?: number;
}

export interface QuestionsEntry {
  readonly elicit?: 'forward' | 'reject';
  readonly sample?: 'forward' | 'reject';
  readonly roots?: 'forward' | 'reject';
  readonly visit?: { readonly hosts: readonly string[] };
}

export interface TrustEntry {
  readonly annotations?: boolean;
  readonly instructions?: boolean;
  readonly cache?: 'public' | 'private' | 'never';
}

export interface ViewEntry {
  readonly of: readonly (string | Readonly<Record<string, PartsEntry>>)[];
  readonly apps?: readonly string[];
}

export interface PartsEntry {
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  readonly resources?: readonly string[];
}

export interface NamesEntry {
  readonly style?: 'prefix' | 'bare';
  readonly uris?: 'wrap' | 'as-is';
  readonly maxLength?: number;
}

export interface MatchEntry {
  readonly server?: TextOrTexts;
  readonly kind?: TextOrTexts;
  readonly name?: TextOrTexts;
  readonly effects?: TextOrTexts;
  readonly status?: TextOrTexts;
  readonly principal?: TextOrTexts;
  readonly view?: TextOrTexts;
  readonly client?: TextOrTexts;
  readonly scopes?: TextOrTexts;
  readonly lacks?: TextOrTexts;
  readonly claims?: Texts;
  readonly arguments?: Texts;
  readonly visible?: boolean;
}

export interface RuleEntry {
  readonly allow?: MatchEntry;
  readonly ask?: MatchEntry;
  readonly deny?: MatchEntry;
  readonly budget?: BudgetEntry;
}

export interface BudgetEntry {
  readonly match?: MatchEntry;
  readonly calls: number;
  readonly per: 'hour' | 'day';
  readonly for?: 'principal' | 'all';
}

export interface RateEntry {
  readonly calls: number;
  readonly perMs: number;
}

export interface RatesEntry {
  readonly perPrincipal?: RateEntry;
  readonly lists?: RateEntry;
}

export interface StoresEntry {
  readonly redis?: string;
  readonly prefix?: string;
}

export interface KeysEntry {
  readonly state?: string;
  readonly peer?: string;
}

export interface PeerEntry {
  readonly listen: string;
  readonly advertise: string;
}

export interface AuditEntry {
  readonly file: string;
  readonly mask?: readonly string[];
}

export interface DrainEntry {
  readonly settleMs?: number;
  readonly drainMs?: number;
}
