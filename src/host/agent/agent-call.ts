/** Types of a tool call by the model, and of its outcome. */
import type { RequestOptions } from '../../client/index.ts';
import type { Verdict } from '../act/rule.ts';
import type { ToolResult } from '../act/tool-result.ts';
import type { ModelBlock } from '../models/model.ts';

export type ToolUse = Extract<ModelBlock, { type: 'tool_use' }>;

export type AgentCallResult = Pick<ToolResult, 'content' | 'text' | 'isError' | 'act'>;

/** A call that continues as a task. `working` is the text for the model. */
export interface WorkingCall {
  readonly working: string;
  readonly act: string;
}

export interface AgentCallOptions extends RequestOptions {
  /** Called with the rules' verdict, before the user is asked and before anything is sent. */
  readonly onVerdict: (verdict: Verdict) => Promise<void>;
}

/** Text of the host that depends on a server request. If the request fails, the error message is fenced as the server's text. */
export interface AwaitedText {
  /** The label of the server. */
  readonly server: string;
  read(): Promise<string>;
}

/** The pending result of a server's tool, which a tool of the host waits for. */
export interface AwaitedCall {
  /** The tool by its name in the catalogue. */
  readonly from: string;
  /** The label of its server. */
  readonly server: string;
  wait(): Promise<AgentCallResult | WorkingCall>;
}
