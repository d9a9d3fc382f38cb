// The entry point "mooring/apps": 8 names. Written by `npm run api`.
// AppSpec ResourcePart ToolPart ViewPermission ViewSettings WithAppOptions app withApp

type Annotations = {
    readonly audience?: readonly Role[];
    readonly priority?: number;
    readonly lastModified?: string;
};
type Answer<T> = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value: T;
} | {
    readonly action: 'decline' | 'cancel';
    readonly accepted: false;
    readonly value?: undefined;
};
type AnswerTo<S> = S extends {
    readonly '~standard': unknown;
} ? Answer<InferOutput<S>> : S extends Visit ? VisitAnswer : Answer<InferOutput<S>>;
export interface AppSpec<Uri extends string, Env> extends Partial<ViewSettings> {
    readonly uri: Uri;
    readonly title?: string;
    readonly description?: string;
    readonly html: string | URL | ((context: Context<Env>) => string | Promise<string>);
    readonly script?: boolean;
    readonly listed?: boolean;
    readonly scopes?: readonly string[];
}
type AudioContent = Media & {
    readonly type: 'audio';
};
interface AuthInfo {
    readonly issuer?: string;
    readonly subject?: string;
    readonly clientId?: string;
    readonly scopes: readonly string[];
    readonly expiresAt?: number;
    readonly claims?: JsonObject;
}
type Block = {
    readonly annotations?: Annotations;
    readonly _meta?: Meta;
};
type CacheHints = {
    readonly ttlMs?: number;
    readonly cacheScope?: 'public' | 'private';
};
type CallToolResult = {
    readonly content: readonly Content[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly _meta?: Meta;
};
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
type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;
interface Context<Env = unknown> {
    readonly signal: AbortSignal;
    readonly env: Env;
    readonly auth: AuthInfo | undefined;
    readonly principal: string;
    readonly caller: Caller;
    readonly http: HttpStream | undefined;
    log(level: LoggingLevel, message: string, data?: object): void;
    progress(done: number, total?: number, message?: string): void;
    ask<S extends Schema | Visit>(key: string, message: string, wanted: S & SingleSchema<S> & FlatForm<S>): Promise<AnswerTo<S>>;
    confirm(key: string, message: string): Promise<boolean>;
    once<T>(key: string, step: (info: StepInfo) => T | Promise<T>, options?: OnceOptions): Promise<T>;
    readonly task: {
        readonly id: string;
    } | undefined;
    detach(): Promise<void>;
    read(uri: string): Promise<ReadResourceResult>;
    sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult>;
    roots(key?: string): Promise<readonly Root[]>;
}
type CreateMessageParams = {
    readonly messages: readonly SamplingMessage[];
    readonly maxTokens: number;
    readonly modelPreferences?: ModelPreferences;
    readonly systemPrompt?: string;
    readonly includeContext?: 'none' | 'thisServer' | 'allServers';
    readonly temperature?: number;
    readonly stopSequences?: readonly string[];
    readonly metadata?: JsonObject;
    readonly tools?: readonly Tool[];
    readonly toolChoice?: {
        readonly mode?: 'auto' | 'required' | 'none';
    };
};
type CreateMessageResult = SamplingMessage & {
    readonly model: string;
    readonly stopReason?: string;
};
type Described = {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly icons?: readonly Icon[];
    readonly _meta?: Meta;
};
type EmbeddedResource = Block & {
    readonly type: 'resource';
    readonly resource: ResourceContents;
};
type FlatForm<S> = true extends {
    [K in keyof InferInput<S>]-?: IsNested<InferInput<S>[K]>;
}[keyof InferInput<S>] ? 'Forms are flat. Ask for text, numbers, yes or no, or a choice of texts' : unknown;
type FormValue = string | number | boolean | readonly string[];
interface HttpStream {
    release(retryMs?: number): void;
}
type Icon = {
    readonly src: string;
    readonly mimeType?: string;
    readonly sizes?: readonly string[];
    readonly theme?: 'light' | 'dark';
};
type ImageContent = Media & {
    readonly type: 'image';
};
type Implementation = {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
    readonly description?: string;
    readonly websiteUrl?: string;
    readonly icons?: readonly Icon[];
};
type InferInput<S> = InferSide<S, 'input'>;
type InferOutput<S> = InferSide<S, 'output'>;
type InferSide<S, Side extends 'input' | 'output'> = S extends StandardTypes ? NonNullable<S['~standard']['types']>[Side] : S extends undefined ? NoInput : JsonObject;
type IsNested<T> = unknown extends T ? false : [T] extends [FormValue | null | undefined] ? false : true;
interface JsonObject {
    readonly [key: string]: unknown;
}
type JsonSchema = JsonObject;
type LoggingLevel = (typeof loggingLevels)[number];
type Media = Block & {
    readonly data: string;
    readonly mimeType: string;
};
type Meta = JsonObject;
type ModelPreferences = {
    readonly hints?: readonly {
        readonly name?: string;
    }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
};
type NoInput = {
    readonly [K in never]: never;
};
interface OnceOptions {
    readonly again?: boolean;
}
type ReadResourceResult = CacheHints & {
    readonly contents: readonly ResourceContents[];
    readonly _meta?: Meta;
};
type Resource = Described & {
    readonly uri: string;
    readonly mimeType?: string;
    readonly size?: number;
    readonly annotations?: Annotations;
};
type ResourceContents = {
    readonly uri: string;
    readonly mimeType?: string;
    readonly _meta?: Meta;
} & ({
    readonly text: string;
} | {
    readonly blob: string;
});
type ResourceLink = Resource & {
    readonly type: 'resource_link';
};
export interface ResourcePart<Uri extends string = string, Env = unknown> {
    readonly kind: 'resource';
    readonly uri: Uri;
    readonly '~types'?: {
        readonly uri: Uri;
        readonly env: Env;
    };
}
type Role = 'user' | 'assistant';
type Root = {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
};
type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
type SamplingMessage = {
    readonly role: Role;
    readonly content: SamplingContent | readonly SamplingContent[];
    readonly _meta?: Meta;
};
type Schema = StandardSchema | JsonSchema;
type SingleSchema<S> = S extends {
    readonly '~standard': unknown;
} | undefined ? unknown : true extends {
    [K in keyof S]: S[K] extends {
        readonly '~standard': unknown;
    } ? true : false;
}[keyof S] ? 'This is an object of schemas. Wrap it, as in z.object({ … })' : unknown;
interface StandardConverter {
    input(options: {
        readonly target: string;
    }): Record<string, unknown>;
    output(options: {
        readonly target: string;
    }): Record<string, unknown>;
}
interface StandardIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
type StandardResult<O> = {
    readonly value: O;
    readonly issues?: undefined;
} | {
    readonly issues: readonly StandardIssue[];
};
interface StandardSchema<I = unknown, O = I> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly types?: {
            readonly input: I;
            readonly output: O;
        } | undefined;
        validate(value: unknown): StandardResult<O> | Promise<StandardResult<O>>;
        readonly jsonSchema?: StandardConverter | undefined;
    };
}
interface StandardTypes {
    readonly '~standard': {
        readonly types?: {
            readonly input: unknown;
            readonly output: unknown;
        } | undefined;
    };
}
interface StepInfo {
    readonly idempotencyKey: string;
    readonly fence: number;
    readonly signal: AbortSignal;
}
type TextContent = Block & {
    readonly type: 'text';
    readonly text: string;
};
type Tool = Described & {
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations?: ToolAnnotations;
    readonly execution?: ToolExecution;
};
type ToolAnnotations = {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
};
type ToolExecution = {
    readonly taskSupport?: 'forbidden' | 'optional' | 'required';
};
export interface ToolPart<Name extends string = string, In = unknown, Out = unknown, Env = unknown> {
    readonly kind: 'tool';
    readonly name: Name;
    readonly '~types'?: {
        readonly name: Name;
        readonly input: In;
        readonly output: Out;
        readonly env: Env;
    };
}
type ToolResultContent = CallToolResult & {
    readonly type: 'tool_result';
    readonly toolUseId: string;
};
type ToolUseContent = {
    readonly type: 'tool_use';
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly _meta?: Meta;
};
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';
export interface ViewSettings {
    readonly connect: readonly string[];
    readonly load: readonly string[];
    readonly frames: readonly string[];
    readonly base: readonly string[];
    readonly permissions: readonly ViewPermission[];
    readonly domain?: string;
    readonly border?: boolean;
}
interface Visit {
    readonly url: string;
}
type VisitAnswer = {
    readonly action: 'accept';
    readonly accepted: true;
    readonly value?: undefined;
    completed(): void;
} | Exclude<Answer<undefined>, {
    readonly accepted: true;
}>;
export interface WithAppOptions {
    readonly for?: 'model' | 'app';
    readonly onWarning?: (warning: string) => void;
}
export declare function app<const Uri extends string, Env = unknown>(spec: AppSpec<Uri, Env>): ResourcePart<Uri, Env>;
declare const loggingLevels: readonly ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
export declare function withApp<T extends ToolPart>(tool: T, app: ResourcePart, options?: WithAppOptions): T;
