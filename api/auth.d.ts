// The entry point "mooring/auth": 46 names. Written by `npm run api`.
// BearerOptions BearerRejection BrowserSignInOptions Claims ClientAuthOptions ClientCredentialsOptions CredentialKey CredentialStore EnterpriseManagedOptions FileCredentialsOptions IntrospectionOptions JwtOptions ManualSignInOptions ManualSignInPrompt OAuthOptions PrivateKey ProofLog ProtectedResource ProtectedResourceOptions RegisteredClient SignIn SignInAttempt SignOutOptions SignOutResult SignedInUser StoredSignIn TokenExchangeOptions TokenVerifier Trace TraceStep WorkloadIdentityOptions bearer browserSignIn clientCredentials enterpriseManaged fileCredentials introspection jwt manualSignIn memoryCredentials oauth protectedResource signOut storedSignIn tokenExchange workloadIdentity

interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
interface AuthRejection {
    readonly status: 400 | 401 | 403;
    readonly wwwAuthenticate: string;
    readonly headers?: Readonly<Record<string, string>>;
}
interface AuthRequest {
    readonly method: string;
    readonly path: string;
    readonly query?: string | undefined;
    header(name: string): string | undefined;
}
interface Authenticator {
    (request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection>;
    readonly documents?: ReadonlyMap<string, JsonObject>;
    readonly insufficient?: (needed: readonly string[], auth: AuthInfo) => AuthRejection;
}
export interface BearerOptions extends Partial<Pick<ProtectedResourceOptions, 'scopesSupported' | 'authorizationServers' | 'name' | 'documentation'>> {
    readonly verify: TokenVerifier;
    readonly audience: string;
    readonly scopes?: readonly string[];
    readonly implies?: Readonly<Record<string, readonly string[]>>;
    readonly realm?: string;
    readonly dpop?: 'accepted' | 'required';
    readonly nonces?: true | Uint8Array<ArrayBuffer>;
    readonly proofLog?: ProofLog;
    readonly clockSkewMs?: number;
    readonly authorizationServerMetadata?: JsonObject;
    readonly onRejected?: (refusal: BearerRejection) => void;
    readonly clock?: Clock;
}
export interface BearerRejection {
    readonly id: string;
    readonly status: AuthRejection['status'] | 503;
    readonly error: ChallengeError | undefined;
    readonly why: string;
    readonly auth?: AuthInfo;
}
export interface BrowserSignInOptions {
    readonly open?: ((url: string) => unknown) | undefined;
    readonly redirectUri?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly clock?: Clock | undefined;
}
type ChallengeError = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce';
interface ChallengedRequest extends OutgoingRequest {
    readonly status: number;
    header(name: string): string | undefined;
    readonly sent: HeaderFields;
    readonly revision: string | undefined;
}
export type Claims = JsonObject;
interface ClientAuth {
    (endpoint: URL): HttpAuth;
    readonly extensions?: readonly string[];
}
export interface ClientAuthOptions {
    readonly dpop?: boolean | undefined;
    readonly trace?: Trace | undefined;
    readonly fetch?: FetchFunction | undefined;
    readonly dangerouslyAllowPrivateAddresses?: boolean | undefined;
    readonly clock?: Clock | undefined;
}
export interface ClientCredentialsOptions extends MachineOptions {
    readonly client: RegisteredClient;
}
interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
export type CredentialKey = string | Uint8Array;
export interface CredentialStore {
    read(key: string): Promise<string | undefined>;
    write(key: string, value: string): Promise<void>;
    remove(key: string): Promise<void>;
    whileLocked?<T>(key: string, work: () => Promise<T>): Promise<T>;
}
export interface EnterpriseManagedOptions extends MachineOptions {
    readonly idp: {
        readonly issuer?: string | undefined;
        readonly tokenEndpoint?: string | undefined;
        readonly client: RegisteredClient;
    };
    readonly idToken: () => Promise<string>;
    readonly isAccessToken?: boolean | undefined;
    readonly client: RegisteredClient;
}
type FetchFunction = (url: URL, init: RequestInit) => Promise<Response>;
export interface FileCredentialsOptions {
    readonly key: CredentialKey | (() => CredentialKey | Promise<CredentialKey>);
    readonly clock?: Clock | undefined;
}
type HeaderFields = Readonly<Record<string, string>> | undefined;
interface HttpAuth {
    headers(request: OutgoingRequest): HeaderFields | Promise<HeaderFields>;
    onChallenge(challenged: ChallengedRequest): boolean | Promise<boolean>;
    onResponse?(request: OutgoingRequest, header: (name: string) => string | undefined): void;
}
export interface IntrospectionOptions {
    readonly issuer: string;
    readonly endpoint: string;
    readonly client: {
        readonly id: string;
        readonly secret: string;
    };
    readonly cacheMs?: number;
    readonly fetch?: FetchFunction;
}
interface JsonObject {
    readonly [key: string]: unknown;
}
export interface JwtOptions {
    readonly issuer: string;
    readonly jwksUri?: string;
    readonly algorithms?: readonly string[];
    readonly typ?: readonly string[];
    readonly fetch?: FetchFunction;
}
interface MachineOptions extends ClientAuthOptions {
    readonly scopes?: readonly string[] | undefined;
}
export interface ManualSignInOptions {
    readonly ask: (prompt: ManualSignInPrompt) => Promise<string>;
    readonly redirectUri: string;
}
export interface ManualSignInPrompt {
    readonly url: string;
    readonly message: string;
    readonly signal: AbortSignal;
}
export interface OAuthOptions extends ClientAuthOptions {
    readonly client?: RegisteredClient | undefined;
    readonly clientMetadataUrl?: string | undefined;
    readonly clientName?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly signIn?: SignIn | undefined;
    readonly open?: ((url: string) => unknown) | undefined;
    readonly askForClient?: ((issuer: string) => Promise<Pick<RegisteredClient, 'id' | 'secret'> | undefined>) | undefined;
    readonly store?: CredentialStore | undefined;
}
interface OutgoingRequest {
    readonly method: string;
    readonly url: URL;
    readonly operation: string;
    readonly signal: AbortSignal;
}
export type PrivateKey = CryptoKey | string | JWK;
export interface ProofLog {
    spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}
export interface ProtectedResource {
    readonly path: string;
    readonly url: string;
    readonly document: JsonObject;
}
export interface ProtectedResourceOptions {
    readonly resource: string;
    readonly authorizationServers: readonly string[];
    readonly scopesSupported?: readonly string[];
    readonly name?: string;
    readonly documentation?: string;
    readonly proofs?: {
        readonly algorithms: readonly string[];
        readonly required: boolean;
    };
}
export interface RegisteredClient {
    readonly id: string;
    readonly secret?: string | undefined;
    readonly privateKey?: PrivateKey | undefined;
    readonly alg?: string | undefined;
    readonly issuer?: string | undefined;
}
export interface SignIn {
    begin(known?: readonly string[]): Promise<SignInAttempt>;
}
export interface SignInAttempt {
    readonly redirectUri: string;
    finish(authorizationUrl: string): Promise<string>;
    close(): Promise<void>;
}
export interface SignOutOptions extends Omit<ClientAuthOptions, 'dpop'> {
    readonly store: CredentialStore;
    readonly client?: RegisteredClient | undefined;
}
export interface SignOutResult {
    readonly issuer: string;
    readonly revocation: 'revoked' | 'partial' | 'unsupported' | 'failed';
    readonly why?: string | undefined;
}
export interface SignedInUser {
    readonly subject: string;
    readonly name?: string | undefined;
    readonly email?: string | undefined;
}
export interface StoredSignIn {
    readonly issuer: string;
    readonly resource: string;
    readonly clientId?: string | undefined;
    readonly user?: SignedInUser | undefined;
    readonly scopes: readonly string[];
    readonly expiresAt?: number | undefined;
    readonly isRenewable: boolean;
}
export interface TokenExchangeOptions extends Omit<ClientAuthOptions, 'dpop'> {
    readonly tokenEndpoint: string;
    readonly client: RegisteredClient;
    readonly subjectToken: () => string | Promise<string>;
    readonly audience?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
}
export interface TokenVerifier {
    (token: string, moment: VerificationTime): Claims | undefined | Promise<Claims | undefined>;
    readonly issuer?: string;
}
export type Trace = (step: TraceStep) => void;
export interface TraceStep {
    readonly step: string;
    readonly of?: string;
    readonly outcome: 'asked' | 'accepted' | 'failed' | 'chosen';
    readonly why: string;
}
interface VerificationTime {
    readonly clock: Clock;
    readonly clockSkewMs: number;
}
export interface WorkloadIdentityOptions extends MachineOptions {
    readonly assertion: () => Promise<string>;
    readonly client?: RegisteredClient | undefined;
}
export declare function bearer(options: BearerOptions): Authenticator;
export declare function browserSignIn(options?: BrowserSignInOptions): SignIn;
export declare function clientCredentials(options: ClientCredentialsOptions): ClientAuth;
export declare function enterpriseManaged(options: EnterpriseManagedOptions): ClientAuth;
export declare function fileCredentials(path: string, options: FileCredentialsOptions): CredentialStore;
export declare function introspection(options: IntrospectionOptions): TokenVerifier;
export declare function jwt(options: JwtOptions): TokenVerifier;
export declare function manualSignIn(options: ManualSignInOptions): SignIn;
export declare function memoryCredentials(): CredentialStore;
export declare function oauth(options?: OAuthOptions): ClientAuth;
export declare function protectedResource(options: ProtectedResourceOptions): ProtectedResource;
export declare function signOut(endpoint: string | URL, options: SignOutOptions): Promise<SignOutResult | undefined>;
export declare function storedSignIn(endpoint: string | URL, store: CredentialStore): Promise<StoredSignIn | undefined>;
export declare function tokenExchange(options: TokenExchangeOptions): ClientAuth;
export declare function workloadIdentity(options: WorkloadIdentityOptions): ClientAuth;
