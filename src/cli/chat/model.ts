/** The model of a chat: named on the command line, or found by the keys in the environment. */
import type { Model } from '../../host/model.ts';
import { anthropic } from '../../host/models/anthropic.ts';
import { openai } from '../../host/models/openai.ts';
import type { ProviderOptions } from '../../host/models/provider.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';

export const NO_MODEL =
  'this would be for a model, and none is configured; set ANTHROPIC_API_KEY, or OPENAI_API_KEY (and OPENAI_BASE_URL for ' +
  'those that speak like it), and name one with --model anthropic:<name> or openai:<name>; /help lists what works without';

interface Provider {
  /** The variable that holds its key. */
  readonly key: string;
  /** The model where none is named. */
  readonly usual: string;
  make(options: ProviderOptions): Model;
}

const providers: ReadonlyMap<string, Provider> = new Map([
  ['anthropic', { key: 'ANTHROPIC_API_KEY', usual: 'claude-sonnet-4-5', make: anthropic }],
  ['openai', { key: 'OPENAI_API_KEY', usual: 'gpt-4.1', make: openai }],
]);

export const usualModels: string = [...providers].map(([name, { usual }]) => `${name}:${usual}`).join(' or ');

/** Undefined where nothing is configured and nothing was asked for. Throws `MCP_BAD_ARGUMENT`. */
export function modelFrom(shell: Pick<Shell, 'env' | 'clock'>, wanted: string | undefined): Model | undefined {
  if (wanted !== undefined) {
    const [, provider = '', name = ''] = /^(\w+):(\S+)$/.exec(wanted) ?? [];
    if (!providers.has(provider)) throw badArgument(`--model ${wanted}`, 'expected anthropic:<name> or openai:<name>');
    return made(provider, name, shell);
  }
  const configured = [...providers].find(([, { key }]) => isSet(shell, key));
  return configured === undefined ? undefined : made(configured[0], configured[1].usual, shell);
}

function made(provider: string, model: string, { env, clock }: Pick<Shell, 'env' | 'clock'>): Model | undefined {
  const found = providers.get(provider);
  if (found === undefined) return undefined;
  const baseUrl = provider === 'openai' ? env['OPENAI_BASE_URL'] : undefined;
  const apiKey = env[found.key] ?? '';
  // A model on this machine wants no key.
  if (apiKey === '' && baseUrl === undefined)
    throw badArgument(`--model ${provider}:${model}`, `it needs a key; set the environment variable ${found.key}`);
  return found.make({ apiKey, model, clock, ...(baseUrl === undefined ? {} : { baseUrl }) });
}

const isSet = ({ env }: Pick<Shell, 'env'>, name: string): boolean => (env[name] ?? '') !== '';
