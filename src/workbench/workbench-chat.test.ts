/** Scripts of the chat: their replies, and their errors. */
import { expect, test } from 'vitest';
import { ScriptableModel } from './workbench-chat.ts';

const model = (): ScriptableModel =>
  new ScriptableModel({ models: [], reply: () => Promise.reject(new Error('another model')) });

test('the scripted model replies with one entry of its script after the other', async () => {
  const scripted = model();
  scripted.setScript('- Hello\n- { call: shop.refund, with: { order: A-1 } }\n');
  const said = await scripted.reply({ model: 'scripted', messages: [], maxTokens: 100 });
  expect(said.content).toEqual([{ type: 'text', text: 'Hello' }]);
});

test.each([
  ['that is nested too deeply', `- ok\n- ${'['.repeat(100_000)}`, 'line 2: it is nested more than 100 levels deep'],
  ['whose aliases grow without bound', bomb(), 'it has more than 50000 values'],
  ['that is no YAML', '- a\n- [', 'The script: line 2: '],
  ['with two documents', '- a\n---\n- b', 'more than one document'],
  ['that is no list', 'a: 1', 'expected a YAML list'],
])('a script %s is a mistake of the script, and the one before stays', (_what, script, why) => {
  const scripted = model();
  const { script: before } = scripted;
  expect(() => scripted.setScript(script)).toThrow(
    expect.objectContaining({ code: 'MCP_BAD_DEFINITION', message: expect.stringContaining(why) }),
  );
  expect(scripted.script).toBe(before);
});

/** A "billion laughs" document: each line refers to the previous one ten times. */
function bomb(): string {
  const lines = ['- &a0 [x]'];
  for (let i = 1; i < 9; i++)
    lines.push(
      `- &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  return lines.join('\n');
}
