/** Records one request as a span and a duration. */
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

/** Cardinality limit of metric attributes, because a peer can invent any number of methods, tools and prompts. */
const MAX_NAMES = 1_000;
const MAX_NAME_LENGTH = 256;

export interface OperationRecorder {
  readonly tracer: Tracer;
  readonly durations: Histogram;
  /** Durations of sessions. */
  readonly sessions: Histogram;
  readonly kind: SpanKind.CLIENT | SpanKind.SERVER;
  readonly clock: Clock;
  /** The attribute values that metrics have used so far. */
  readonly names: Set<string>;
}

/** The data for starting a span. */
export interface OperationStart {
  readonly request: RpcRequest;
  readonly revision?: string | undefined;
  readonly parent: Context;
  readonly links?: readonly SpanLink[];
}

/** An open request with its span. */
export class Operation {
  readonly span: Span;
  readonly #recorder: OperationRecorder;
  readonly #metricAttributes: Attributes;
  readonly #began: number;

  constructor(recorder: OperationRecorder, { request, revision, parent, links = [] }: OperationStart) {
    const { id, method } = request;
    const named = attributesOf(request, revision);
    const target = named[TOOL] ?? named[PROMPT];
    this.#recorder = recorder;
    this.#metricAttributes = limitCardinality(named, recorder.names);
    this.#began = recorder.clock.now();
    const attributes = { ...named, [REQUEST_ID]: String(id) };
    const name = target === undefined ? truncateName(method) : `${truncateName(method)} ${String(target)}`;
    this.span = recorder.tracer.startSpan(name, { kind: recorder.kind, attributes, links: [...links] }, parent);
  }

  recordResponse(response: RpcResponse | undefined): void {
    const isFailed = response !== undefined && isFailure(response);
    const result = response === undefined || isFailed ? {} : response.result;
    if (isFailed) this.span.setAttribute(STATUS_CODE, String(response.error.code));
    if (result['resultType'] === INPUT_REQUIRED) this.span.addEvent(INPUT_REQUIRED);
    const toolError = result['isError'] === true ? TOOL_ERROR : undefined;
    this.#end(isFailed ? String(response.error.code) : toolError);
  }

  recordFailure(thrown: unknown): void {
    this.#end(errorType(thrown));
  }

  /** Reports only the type of an error, because messages can contain user data. */
  #end(error: string | undefined): void {
    const failed = error === undefined ? {} : { [ERROR_TYPE]: error };
    this.span.setAttributes(failed);
    if (error !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
    const { clock, durations } = this.#recorder;
    durations.record((clock.now() - this.#began) / 1_000, { ...this.#metricAttributes, ...failed });
  }
}

function attributesOf({ method, params = {} }: RpcRequest, revision: string | undefined): Attributes {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = revision ?? meta[PROTOCOL_VERSION];
  const name = typeof params['name'] === 'string' ? truncateName(params['name']) : undefined;
  return {
    [METHOD]: truncateName(method),
    ...(typeof version === 'string' ? { [PROTOCOL]: truncateName(version) } : {}),
    ...(method === 'tools/call' && name !== undefined ? { [TOOL]: name, [OPERATION]: EXECUTE_TOOL } : {}),
    ...(method === 'prompts/get' && name !== undefined ? { [PROMPT]: name } : {}),
  };
}

/** Replaces names after the first thousand with `_OTHER`: each combination of attributes is a time series. */
export function limitCardinality(attributes: Attributes, names: Set<string>): Attributes {
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

export const truncateName = (text: string): string => text.slice(0, MAX_NAME_LENGTH);
