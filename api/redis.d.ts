// The entry point "mooring/redis": 32 names. Written by `npm run api`.
// Backend Channels IoredisClient IoredisCluster IoredisSubscriber KeyedEntry KeyedPutOptions KeyedValues LogEntry LogLimits NodeRedisClient NodeRedisCluster NodeRedisSubscriber OnceKeys RateCounts RateResult RedisBackendOptions RedisConnection RedisSend RedisStores RedisTasksOptions SharedLogs SharedRate SharedStores fromIoredis fromNodeRedis memoryBackend numberedChannel redisBackend redisStores redisTasks sharedStores

interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
export interface Backend {
    readonly keyed: KeyedValues;
    readonly once: OnceKeys;
    readonly count: RateCounts;
    readonly log: SharedLogs;
    readonly channel: Channels;
}
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
}
type Change = {
    readonly kind: 'tools' | 'prompts' | 'resources';
} | {
    readonly kind: 'resource';
    readonly uri: string;
};
interface ChangeBus {
    publish(shared: SharedChanges): void | Promise<void>;
    subscribe(listener: (shared: SharedChanges) => void): () => void;
}
export interface Channels {
    publish(channel: string, data: string): Promise<void>;
    subscribe(channel: string, onData: (data: string) => void, onMissed: () => void): () => void;
}
interface ClientCapabilities {
    readonly experimental?: JsonObject;
    readonly extensions?: Readonly<Record<string, JsonObject>>;
    readonly roots?: {
        readonly listChanged?: boolean;
    };
    readonly sampling?: {
        readonly context?: JsonObject;
        readonly tools?: JsonObject;
    };
    readonly elicitation?: {
        readonly form?: JsonObject;
        readonly url?: JsonObject;
    };
    readonly [more: string]: unknown;
}
interface Clock {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, options?: {
        readonly idle: true;
    }): () => void;
}
interface EndedSessions {
    add(name: string, lifeMs: number): void | Promise<void>;
    has(name: string): boolean | Promise<boolean>;
}
interface EventLog {
    append(stream: string, event: LoggedEvent): void | Promise<void>;
    read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
    claim?(stream: string, requests: readonly Id[]): Promise<void>;
    orphaned?(stream: string): Promise<readonly Id[] | undefined>;
}
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type Id = string | number;
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
export interface IoredisClient {
    call(name: string, ...args: string[]): Promise<unknown>;
    duplicate(): IoredisSubscriber;
}
export interface IoredisCluster {
    call(name: string, ...args: string[]): Promise<unknown>;
    nodes(): unknown;
    duplicate(nodes: [], options: {
        shardedSubscribers: boolean;
    }): IoredisSubscriber;
}
export interface IoredisSubscriber {
    on(event: string, listener: (...args: string[]) => void): unknown;
    subscribe(channel: string): Promise<unknown>;
    unsubscribe(channel: string): Promise<unknown>;
    ssubscribe(channel: string): Promise<unknown>;
    sunsubscribe(channel: string): Promise<unknown>;
    disconnect(): void;
}
interface JsonObject {
    readonly [key: string]: unknown;
}
export interface KeyedEntry {
    readonly value: string;
    readonly version: string;
    readonly mark?: string | undefined;
}
export interface KeyedPutOptions {
    readonly ttlMs: number;
    readonly expected?: string | undefined;
}
export interface KeyedValues {
    get(key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined>;
    put(key: string, value: string, options: KeyedPutOptions): Promise<string | undefined>;
    touch(key: string, ttlMs: number, mark?: string): Promise<boolean>;
    delete(key: string, expected?: string): Promise<boolean>;
}
export interface LogEntry {
    readonly seq: number;
    readonly data: string;
}
export interface LogLimits {
    readonly ttlMs: number;
    readonly keep: number;
}
interface LoggedEvent {
    readonly seq: number;
    readonly data: string;
    readonly last?: boolean;
}
type LoggingLevel = (typeof loggingLevels)[number];
export interface NodeRedisClient {
    sendCommand(command: string[], options?: {
        timeout?: number;
    }): Promise<unknown>;
    duplicate(): NodeRedisSubscriber;
}
export interface NodeRedisCluster {
    readonly slots: unknown;
    sendCommand(key: string, isReadonly: boolean, command: string[], options?: {
        timeout?: number;
    }): Promise<unknown>;
    sSubscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
    sUnsubscribe(channel: string): Promise<unknown>;
}
export interface NodeRedisSubscriber {
    on(event: string, listener: () => void): unknown;
    connect(): Promise<unknown>;
    subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
    unsubscribe(channel: string): Promise<unknown>;
    destroy(): void;
}
export interface OnceKeys {
    spend(key: string, ttlMs: number): Promise<boolean>;
}
interface PeerSession {
    revision?: string;
    caller?: Caller;
    offered?: readonly string[];
    requestsOnly?: true;
    ready?: boolean;
    batches?: boolean;
    mustNotRespond?: boolean;
    logLevel?: LoggingLevel;
    subscriptions?: string[];
}
interface PutOptions {
    readonly expected: string | undefined;
    readonly ttlMs: number;
}
export interface RateCounts {
    take(key: string, rate: SharedRate): Promise<RateResult>;
}
export type RateResult = {
    readonly ok: true;
} | {
    readonly ok: false;
    readonly retryMs: number;
};
export interface RedisBackendOptions extends RedisConnection {
    readonly prefix?: string | undefined;
    readonly timeoutMs?: number | undefined;
    readonly onWarning?: ((text: string) => void) | undefined;
    readonly clock?: Clock | undefined;
}
export interface RedisConnection {
    readonly send: RedisSend;
    subscribe(channel: string, onData: (data: string) => void, onReconnected: () => void): () => void;
    readonly isCluster?: boolean | undefined;
    close?(): void;
}
export type RedisSend = (command: string[], key: string) => Promise<unknown>;
export interface RedisStores extends SharedStores {
    readonly tasks: TaskStore;
}
export interface RedisTasksOptions {
    readonly send: RedisSend;
    readonly prefix?: string | undefined;
}
interface SessionStore {
    readonly hasExpiry?: boolean | undefined;
    get(id: string, known?: VersionedSession): VersionedSession | undefined | Promise<VersionedSession | undefined>;
    put(id: string, stored: StoredSession, options: PutOptions): string | undefined | Promise<string | undefined>;
    touch(id: string, usedAt: number, ttlMs: number): void | Promise<void>;
    delete(id: string): void | Promise<void>;
}
interface SharedChanges {
    readonly from: string;
    readonly changes: readonly Change[];
}
export interface SharedLogs {
    append(log: string, entry: LogEntry, limits: LogLimits): Promise<'ok' | 'exists'>;
    read(log: string, after: number): Promise<readonly LogEntry[] | 'gone'>;
}
export interface SharedRate {
    readonly limit: number;
    readonly perMs: number;
    readonly burst?: number | undefined;
}
export interface SharedStores {
    readonly backend: Backend;
    readonly sessions: SessionStore;
    readonly eventLog: EventLog;
    readonly changes: ChangeBus;
    readonly singleUse: StateLog;
    readonly proofLog: StateLog;
    readonly rates: RateCounts;
    readonly ended: EndedSessions;
}
interface StateLog {
    spend(id: string, lifeMs: number): boolean | Promise<boolean>;
}
type StepRecord = {
    readonly value?: unknown;
} | {
    readonly error: {
        readonly name: string;
        readonly message: string;
        readonly isToolError: boolean;
    };
};
interface StoredSession {
    readonly session: PeerSession;
    readonly principal: string;
    readonly createdAt: number;
    readonly usedAt: number;
    readonly shared?: boolean;
}
interface StoredTask {
    readonly id: string;
    readonly version: number;
    readonly owner: string;
    readonly form: 'augmented' | 'handle';
    readonly tool: string;
    readonly arguments: JsonObject;
    readonly caller: Caller;
    readonly auth?: AuthInfo | undefined;
    readonly code: string;
    readonly resume: boolean;
    readonly isSeen: boolean;
    readonly status: TaskStatus;
    readonly message?: string | undefined;
    readonly progress?: {
        readonly done: number;
        readonly total?: number;
    } | undefined;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly ttlMs: number | null;
    readonly pollMs: number;
    readonly endsAt: number;
    readonly dueAt: number;
    readonly asked: readonly (readonly [
        key: string,
        {
            readonly wire: string;
            readonly digest: string;
            readonly code: string;
        }
    ])[];
    readonly questions: readonly (readonly [wire: string, {
        readonly method: string;
        readonly params: JsonObject;
    }])[];
    readonly answers: readonly (readonly [wire: string, JsonObject])[];
    readonly begun: readonly string[];
    readonly steps: readonly (readonly [key: string, StepRecord])[];
    readonly outcome?: TaskOutcome | undefined;
    readonly lease?: {
        readonly by: string;
        readonly until: number;
    } | undefined;
    readonly runs: number;
    readonly interruptions: number;
}
interface TaskHolder {
    readonly by: string;
    readonly run: number;
}
interface TaskLimits {
    readonly maxTasks: number;
    readonly maxTasksPerCaller?: number;
    readonly maxBytes?: number;
}
type TaskOutcome = {
    readonly result: JsonObject;
} | {
    readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data?: unknown;
    };
} | {
    readonly cancelled: true;
};
type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
interface TaskStore {
    create(task: StoredTask, limits?: TaskLimits): Promise<boolean | keyof TaskLimits>;
    get(id: string): Promise<StoredTask | undefined>;
    put(task: StoredTask, expected: number, maxBytes?: number): Promise<boolean | keyof TaskLimits>;
    renew(id: string, holder: TaskHolder, until: number): Promise<boolean>;
    list(owner: string, after: string | undefined, limit: number): Promise<readonly StoredTask[]>;
    due(now: number, limit: number): Promise<readonly StoredTask[]>;
    count(owner?: string): Promise<number>;
    delete(id: string): Promise<void>;
    watch?(listener: (id: string) => void): () => void;
    close?(): Promise<void> | void;
}
interface VersionedSession extends StoredSession {
    readonly version: string;
}
export declare function fromIoredis(client: IoredisClient | IoredisCluster): RedisConnection;
export declare function fromNodeRedis(client: NodeRedisClient | NodeRedisCluster): RedisConnection;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function memoryBackend({ clock }?: {
    readonly clock?: Clock;
}): Backend;
export declare function numberedChannel(channels: Channels, clock: Clock): Channels;
export declare function redisBackend(options: RedisBackendOptions): Backend;
export declare function redisStores(options: RedisBackendOptions): RedisStores;
export declare function redisTasks(options: RedisTasksOptions): TaskStore;
export declare function sharedStores(backend: Backend, { clock }?: {
    readonly clock?: Clock | undefined;
}): SharedStores;
