/** A call that a model asked for, and what came of it. */
import type { RequestOptions } from '../../client/index.ts';
import type { Verdict } from '../act/rule.ts';
import type { ToolResult } from '../act/tool-result.ts';

export type AgentCallResult = Pick<ToolResult, 'content' | 'text' | 'isError' | 'act'>;

/** A call that works on as a task, and what the host tells the model of it. */
export interface WorkingCall {
  readonly working: string;
  readonly act: string;
}

export interface AgentCallOptions extends RequestOptions {
  /** Gets what the rules say, before the user is asked and before anything is sent. */
  readonly onVerdict: (verdict: Verdict) => Promise<void>;
}

/** Text of the host that needs a server first: what the server says if that fails is fenced as its text. */
export interface AwaitedText {
  /** The label of the server. */
  readonly server: string;
  read(): Promise<string>;
}

/** What a tool of the host has to wait for: the answer of a server's tool. */
export interface AwaitedCall {
  /** The tool by its name in the catalogue. */
  readonly from: string;
  /** The label of its server. */
  readonly server: string;
  wait(): Promise<AgentCallResult | WorkingCall>;
}
