/** The type of the gateway's file after validation, with resolved placeholders. */
import type { GatewayRates } from '../policy/caller-rates.ts';
import type { GatewayAuditSettings } from '../policy/gateway-audit.ts';
import type { LockSpec } from '../policy/gateway-lock.ts';
import type { RuleEntry } from '../policy/read-rules.ts';
import type { GatewaySpec, NameSpec, UpstreamOptions, ViewSpec } from '../spec.ts';

type TextOrTexts = string | readonly string[];
type Texts = Readonly<Record<string, string>>;

export interface GatewayFile {
  readonly $schema?: string;
  readonly gateway?: Partial<Pick<GatewaySpec, 'name' | 'version' | 'title' | 'instructions'>>;
  readonly listen?: {
    readonly address?: string;
    readonly hosts?: readonly string[];
    readonly origins?: readonly string[];
    readonly path?: string;
    readonly sse?: string;
    readonly sessions?: 'store' | 'sealed' | 'none';
  };
  readonly operations?: { readonly listen?: string; readonly token?: string };
  readonly secrets?: { readonly folder?: string; readonly command?: readonly string[] };
  readonly auth?: {
    readonly issuer: string;
    readonly audience: string;
    readonly jwksUri?: string;
    readonly scopes?: readonly string[];
  };
  readonly upstreams?: Readonly<Record<string, UpstreamEntry>>;
  readonly import?: TextOrTexts;
  readonly views?: Readonly<Record<string, ViewSpec>>;
  readonly names?: NameSpec;
  readonly policy?: readonly RuleEntry[];
  readonly rates?: Omit<GatewayRates, 'store'>;
  readonly stores?: { readonly redis?: string; readonly prefix?: string };
  readonly keys?: { readonly state?: string; readonly peer?: string };
  readonly peer?: { readonly listen: string; readonly advertise: string };
  readonly lock?: string | LockSpec;
  readonly audit?: Omit<GatewayAuditSettings, 'to' | 'node'> & { readonly file: string };
  readonly drain?: { readonly settleMs?: number; readonly drainMs?: number };
}

/** The object type of a member. */
export type FileEntry<K extends keyof GatewayFile> = Exclude<NonNullable<GatewayFile[K]>, string>;

export interface UpstreamEntry extends Omit<UpstreamOptions, 'auth'> {
  readonly url?: string;
  readonly headers?: Texts;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Texts;
  readonly cwd?: string;
  readonly auth?: UpstreamAuthEntry;
}

export interface UpstreamAuthEntry {
  readonly static?: { readonly headers: Texts };
  readonly clientCredentials?: OwnClient;
  readonly exchange?: OwnClient & { readonly endpoint: string; readonly audience?: string };
  readonly enterpriseManaged?: OwnClient & {
    readonly idp: { readonly issuer?: string; readonly tokenEndpoint?: string; readonly client: ClientEntry };
  };
}

interface OwnClient {
  readonly client: ClientEntry;
  readonly scopes?: readonly string[];
}

export interface ClientEntry {
  readonly id: string;
  readonly secret?: string;
  readonly issuer?: string;
}
