// The entry point "mooring/tasks": 14 names. Written by `npm run api`.
// RedisSend RedisTasksOptions SqliteDatabase SqliteStatement StepRecord StoredTask TaskHolder TaskLimits TaskOutcome TaskStatus TaskStore memoryTasks redisTasks sqliteTasks

interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
interface Caller {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
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
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
interface JsonObject {
    readonly [key: string]: unknown;
}
export type RedisSend = (command: string[], key: string) => Promise<unknown>;
export interface RedisTasksOptions {
    readonly send: RedisSend;
    readonly prefix?: string | undefined;
}
export interface SqliteDatabase {
    prepare(sql: string): SqliteStatement;
}
export interface SqliteStatement {
    run(...values: (string | number | null)[]): {
        readonly changes: number | bigint;
    };
    get(...values: (string | number | null)[]): unknown;
    all(...values: (string | number | null)[]): unknown[];
}
export type StepRecord = {
    readonly value?: unknown;
} | {
    readonly error: {
        readonly name: string;
        readonly message: string;
        readonly isToolError: boolean;
    };
};
export interface StoredTask {
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
export interface TaskHolder {
    readonly by: string;
    readonly run: number;
}
export interface TaskLimits {
    readonly maxTasks: number;
    readonly maxTasksPerCaller?: number;
    readonly maxBytes?: number;
}
export type TaskOutcome = {
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
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
export interface TaskStore {
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
export declare function memoryTasks(): TaskStore;
export declare function redisTasks(options: RedisTasksOptions): TaskStore;
export declare function sqliteTasks(fileOrDatabase: string | SqliteDatabase): TaskStore;
