/** All tested products, in the order of the table. */
import type { Product } from './product.ts';
import { aiSdk } from './products/ai-sdk.ts';
import { claudeCode } from './products/claude-code.ts';
import { cline } from './products/cline.ts';
import { codex } from './products/codex.ts';
import { copilotCli } from './products/copilot-cli.ts';
import { geminiCli } from './products/gemini-cli.ts';
import { inspector } from './products/inspector.ts';
import { langchain } from './products/langchain.ts';
import { mastra } from './products/mastra.ts';
import { mcpRemote } from './products/mcp-remote.ts';
import { mcporter } from './products/mcporter.ts';
import { openaiAgents } from './products/openai-agents.ts';
import { opencode } from './products/opencode.ts';

export const catalogue: readonly Product[] = [
  claudeCode,
  codex,
  geminiCli,
  copilotCli,
  opencode,
  cline,
  aiSdk,
  langchain,
  openaiAgents,
  mastra,
  inspector,
  mcporter,
  mcpRemote,
];
