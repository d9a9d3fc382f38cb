/** One request, from its beginning to its outcome: a span and a measurement of how long it took. */
import {
  type Attributes,
  type Context,
  type Histogram,
  type Span,
  type SpanKind,
  type Link as SpanLink,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { McpError, RpcError } from '../errors.ts';
import { isFailure, isObject, type RpcRequest, type RpcResponse } from '../jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../model/names.ts';
import type { Clock } from '../peer/clock.ts';
import {
  ERROR_TYPE,
  EXECUTE_TOOL,
  INPUT_REQUIRED,
  METHOD,
  OPERATION,
  OTHER,
  PROMPT,
  PROTOCOL,
  REQUEST_ID,
  STATUS_CODE,
  TOOL,
  TOOL_ERROR,
} from './names.ts';

/** Names of tools and prompts, and methods, that measurements tell apart. A peer may make up any number of them. */
const MAX_NAMES = 1_000;
const MAX_NAME_LENGTH = 256;

export interface OperationRecorder {
  readonly tracer: Tracer;
  readonly durations: Histogram;
  /** Of sessions, as this side sees them. */
  readonly sessions: Histogram;
  readonly kind: SpanKind.CLIENT | SpanKind.SERVER;
  readonly clock: Clock;
  /** The names that measurements have had so far. */
  readonly names: Set<string>;
}

/** What is known when an operation begins. */
export interface OperationStart {
  readonly request: RpcRequest;
  readonly revision?: string | undefined;
  readonly parent: Context;
  readonly links?: readonly SpanLink[];
}

/** A request that is under way. */
export class Operation {
  readonly span: Span;
  readonly #recorder: OperationRecorder;
  readonly #measured: Attributes;
  readonly #began: number;

  constructor(recorder: OperationRecorder, { request, revision, parent, links = [] }: OperationStart) {
    const { id, method } = request;
    const named = attributesOf(request, revision);
    const target = named[TOOL] ?? named[PROMPT];
    this.#recorder = recorder;
    this.#measured = bounded(named, recorder.names);
    this.#began = recorder.clock.now();
    const attributes = { ...named, [REQUEST_ID]: String(id) };
    const name = target === undefined ? cut(method) : `${cut(method)} ${String(target)}`;
    this.span = recorder.tracer.startSpan(name, { kind: recorder.kind, attributes, links: [...links] }, parent);
  }

  answered(response: RpcResponse | undefined): void {
    const isFailed = response !== undefined && isFailure(response);
    const result = response === undefined || isFailed ? {} : response.result;
    if (isFailed) this.span.setAttribute(STATUS_CODE, String(response.error.code));
    if (result['resultType'] === INPUT_REQUIRED) this.span.addEvent(INPUT_REQUIRED);
    const toolError = result['isError'] === true ? TOOL_ERROR : undefined;
    this.#end(isFailed ? String(response.error.code) : toolError);
  }

  failed(thrown: unknown): void {
    this.#end(errorType(thrown));
  }

  /** Texts of errors may hold what a caller sent, so that only their kinds are reported. */
  #end(error: string | undefined): void {
    const failed = error === undefined ? {} : { [ERROR_TYPE]: error };
    this.span.setAttributes(failed);
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
    const { clock, durations } = this.#recorder;
    durations.record((clock.now() - this.#began) / 1_000, { ...this.#measured, ...failed });
  }
}

function attributesOf({ method, params = {} }: RpcRequest, revision: string | undefined): Attributes {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = revision ?? meta[PROTOCOL_VERSION];
  const name = typeof params['name'] === 'string' ? cut(params['name']) : undefined;
  return {
    [METHOD]: cut(method),
    ...(typeof version === 'string' ? { [PROTOCOL]: cut(version) } : {}),
    ...(method === 'tools/call' && name !== undefined ? { [TOOL]: name, [OPERATION]: EXECUTE_TOOL } : {}),
    ...(method === 'prompts/get' && name !== undefined ? { [PROMPT]: name } : {}),
  };
}

/** The same, with names that come after the first thousand replaced: each combination is a time series. */
export function bounded(attributes: Attributes, names: Set<string>): Attributes {
  const known = Object.entries(attributes).map(([key, value]) => {
    const name = `${key} ${String(value)}`;
    if (names.has(name)) return [key, value];
    if (names.size >= MAX_NAMES) return [key, OTHER];
    names.add(name);
    return [key, value];
  });
  return Object.fromEntries(known);
}

export function errorType(thrown: unknown): string {
  if (thrown instanceof RpcError) return String(thrown.code);
  if (thrown instanceof McpError) return thrown.code;
  return thrown instanceof Error ? thrown.name : OTHER;
}

export const cut = (text: string): string => text.slice(0, MAX_NAME_LENGTH);
