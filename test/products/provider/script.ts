/**
 * The script of the model: draws a lot, opens the cellar, draws a lot there when the new tool appears, asks the user, and ends
 * with a text that quotes every result. Stateless: each decision depends only on the conversation.
 */
import type { Conversation, ModelReply } from './conversation.ts';

/** Turns in which a product can fetch the list again in the background. */
const TURNS_TO_WAIT = 4;

export function nextReply({ tools, calls }: Conversation): ModelReply {
  const offered = (name: string): string | undefined => tools.find((tool) => isNamed(tool, name));
  const made = (name: string): number => calls.filter(({ tool }) => isNamed(tool, name)).length;
  const call = (name: string, input = {}): ModelReply => ({ tool: offered(name) ?? name, input });
  const draw = call('draw_lot', { hat: 'blue' });
  if (offered('draw_lot') === undefined) return { text: 'There is no tool draw_lot.' };
  if (made('draw_lot') === 0) return draw;
  if (made('open_cellar') === 0) return call('open_cellar');
  if (made('cellar_lot') === 0) {
    if (offered('cellar_lot') !== undefined) return call('cellar_lot');
    if (made('draw_lot') <= TURNS_TO_WAIT) return draw;
  }
  if (made('greet_user') === 0) return call('greet_user');
  return { text: `The tools said: ${calls.map(({ result }) => result).join(' | ')}` };
}

/** Products prefix tool names with the server's name, with different separators. */
const isNamed = (offered: string, name: string): boolean => new RegExp(`(?:^|[^a-zA-Z0-9])${name}$`).test(offered);
