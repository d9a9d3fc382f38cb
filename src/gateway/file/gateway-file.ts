/** The gateway's file, checked and with its placeholders filled in. */
import type { GatewayRates } from '../policy/caller-rates.ts';
import type { GatewayAuditSettings } from '../policy/gateway-audit.ts';
import type { LockSpec } from '../policy/gateway-lock.ts';
import type { GatewaySpec, NameSpec, UpstreamOptions, ViewSpec } from '../spec.ts';

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
  readonly views?: Readonly<Record<string, ViewSpec>>;
  readonly names?: NameSpec;
  /** Read by `readRules`, which knows what a rule is. */
  readonly policy?: readonly unknown[];
  readonly rates?: Omit<GatewayRates, 'store'>;
  readonly stores?: StoresEntry;
  readonly keys?: KeysEntry;
  readonly peer?: PeerEntry;
  readonly lock?: string | LockSpec;
  readonly audit?: AuditEntry;
  readonly drain?: DrainEntry;
}

export type FileIdentity = Partial<Pick<GatewaySpec, 'name' | 'version' | 'title' | 'instructions'>>;

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

export interface UpstreamEntry extends Omit<UpstreamOptions, 'auth'> {
  readonly url?: string;
  readonly headers?: Texts;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Texts;
  readonly cwd?: string;
  readonly auth?: UpstreamAuthEntry;
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

export interface AuditEntry extends Omit<GatewayAuditSettings, 'to' | 'node'> {
  readonly file: string;
}

export interface DrainEntry {
  readonly settleMs?: number;
  readonly drainMs?: number;
}
