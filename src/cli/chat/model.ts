/** Creates the model of a chat from `--model` or MOORING_MODEL. No default model: their names change too often. */
import { anthropic, type Model, openai, type ProviderOptions } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';

export const NO_MODEL =
  'a line without a slash goes to a model, and this chat has none. Pass --model anthropic:<name> with ANTHROPIC_API_KEY, ' +
  'or openai:<name> with OPENAI_API_KEY (and OPENAI_BASE_URL for compatible services); /help lists what works without one';

interface ProviderSettings {
  /** Environment variable of the API key. */
  readonly key: string;
  make(options: ProviderOptions): Model;
}

const providers: ReadonlyMap<string, ProviderSettings> = new Map([
  ['anthropic', { key: 'ANTHROPIC_API_KEY', make: anthropic }],
  ['openai', { key: 'OPENAI_API_KEY', make: openai }],
]);

/** Undefined if no model is named. Throws `MCP_BAD_ARGUMENT`. */
export function modelFrom({ env, clock }: Pick<Shell, 'env' | 'clock'>, wanted: string | undefined): Model | undefined {
  const named = wanted ?? env['MOORING_MODEL'] ?? '';
  if (named === '') return undefined;
  const where = wanted === undefined ? 'MOORING_MODEL' : '--model';
  const [, provider = '', model = ''] = /^(\w+):(\S+)$/.exec(named) ?? [];
  const found = providers.get(provider);
  if (found === undefined) throw badArgument(`${where} ${named}`, 'expected anthropic:<name> or openai:<name>');
  const baseUrl = provider === 'openai' ? env['OPENAI_BASE_URL'] || undefined : undefined;
  const apiKey = env[found.key] ?? '';
  // A local model (OPENAI_BASE_URL) needs no key.
  if (apiKey === '' && baseUrl === undefined)
    throw badArgument(`${where} ${named}`, `this provider requires a key; set the environment variable ${found.key}`);
  return found.make({ apiKey, model, clock, ...(baseUrl === undefined ? {} : { baseUrl }) });
}
