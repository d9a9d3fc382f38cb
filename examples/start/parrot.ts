/** What stands in for a model where no key is set: it knows a few words, and calls the tools that they are about. */
import type { Model, ModelBlock, ModelReply, ModelRequest } from 'mooring/host';

export const sentences = [
  'Which berths are free?',
  'Book a berth for the Borealis',
  'Unload 30 containers',
  'Write into the logbook: the crane is done',
  'Evict the Aurora',
] as const;

type Input = Readonly<Record<string, unknown>>;
const words: readonly (readonly [RegExp, string, (found: readonly string[]) => Input])[] = [
  [/\bbook a berth for (?:the )?(\w+)/i, 'office__book', ([, ship]) => ({ ship })],
  [/\bevict (?:the )?(\w+)/i, 'office__evict', ([, ship]) => ({ ship })],
  [/\bgreet (?:the )?(\w+)/i, 'office__greet', ([, ship]) => ({ ship })],
  [/\bberth|\bfree\b/i, 'office__berths', () => ({})],
  [/\bunload\D*(\d+)?/i, 'crane__unload', ([, count]) => (count === undefined ? {} : { containers: Number(count) })],
  [/\bcrane\b/i, 'crane__status', () => ({})],
  [/\bwrite\b[^:]*:\s*(.+)/i, 'logbook__write', ([, text]) => ({ text })],
  [/\blogbook\b/i, 'logbook__lines', () => ({})],
];

export const parrot: Model = {
  models: [{ name: 'parrot' }],
  async reply(request, { onText } = {}): Promise<ModelReply> {
    const content = answerTo(request);
    for (const block of content) if (block.type === 'text') onText?.(block.text);
    const calls = content.some(({ type }) => type === 'tool_use');
    return { model: 'parrot', content, stopReason: calls ? 'toolUse' : 'endTurn' };
  },
};

function answerTo({ messages, tools = [] }: ModelRequest): readonly ModelBlock[] {
  const last = messages.at(-1)?.content ?? [];
  const results = last.flatMap((block) => (block.type === 'tool_result' ? [block] : []));
  if (results.some(({ isError }) => isError === true)) return said('That did not work, so I leave it at that.');
  if (results.length > 0) return said('Done.');
  const asked = last.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
  if (/^greet the (\w+) in one sentence/i.test(asked)) return said(asked.replace(/^greet the (\w+).*/is, 'Ahoy, $1!'));
  for (const [pattern, name, input] of words) {
    const found = pattern.exec(asked);
    if (found === null || !tools.some((tool) => tool.name === name)) continue;
    return [...said('I can do that.'), { type: 'tool_use', id: `call-${messages.length}`, name, input: input(found) }];
  }
  return said(
    `I am a parrot, not a model: I know ${sentences.map((one) => `"${one}"`).join(', ')}. ` +
      'With MOORING_MODEL=anthropic:<name> and a key, a model takes my place.',
  );
}

const said = (text: string): readonly ModelBlock[] => [{ type: 'text', text }];
