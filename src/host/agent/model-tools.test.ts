import { expect, test } from 'vitest';
import { Offering, Stocked, tool } from '../../../test/support/stocked.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { SessionResults } from '../catalogue/results.ts';
import { ModelTools, type TurnTools } from './model-tools.ts';

const { signal } = new AbortController();
const text = (said: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: said });
const namesOf = ({ tools }: TurnTools): string[] => tools.map(({ name }) => name);

test('a small catalogue is offered completely, under names for models', async () => {
  await using given = new Stocked({ mail: new Offering({ tools: [tool('send'), tool('read')] }) });
  const tools = new ModelTools({ catalogue: given.view(), results: new SessionResults() });
  expect(namesOf(await tools.offer('Send it', signal)).toSorted()).toEqual(['mail__read', 'mail__send', 'read_result']);
  expect(await tools.resolve('mail__send', { to: 'ada' })).toMatchObject({
    tool: { name: 'mail.send', server: 'mail' },
    arguments: { to: 'ada' },
  });
  await expect(tools.resolve('mail__burn', {})).rejects.toThrow(/no server of this host offers it/);
});

test('of a large catalogue, the best matches and search tools are offered, and earlier tools stay', async () => {
  verifies('HOST-41', 'HOST-44');
  const many = Array.from({ length: 400 }, (_, i) =>
    tool(`part_${i}`, { description: `Makes part ${i} ${'of a ship '.repeat(10)}` }),
  );
  await using given = new Stocked({
    yard: new Offering({ tools: [...many, tool('launch', { description: 'Launches a vessel' })] }),
  });
  const tools = new ModelTools({ catalogue: given.view(), results: new SessionResults() });
  const first = await tools.offer('launch the vessel', signal);
  expect(namesOf(first)).toEqual(expect.arrayContaining(['search_tools', 'call_tool', 'read_result', 'yard__launch']));
  expect(namesOf(first).length).toBeLessThan(401);
  const second = await tools.offer('part 17', signal);
  expect(namesOf(second).slice(0, namesOf(first).length)).toEqual(namesOf(first));
  expect(await tools.resolve('call_tool', { name: 'yard__part_399', arguments: {} })).toMatchObject({
    tool: { name: 'yard.part_399' },
  });
});

test('a result that is too long for a model is stored, and the model reads the rest', async () => {
  await using given = new Stocked({ mail: new Offering({ tools: [tool('read')] }) });
  const tools = new ModelTools({ catalogue: given.view(), results: new SessionResults() });
  const [shown] = tools.show('mail.read', [text(`${'word '.repeat(20_000)}the end`)]);
  const said = shown?.type === 'text' ? shown.text : '';
  const uri = /host:\/\/results\/[\w-]+/.exec(said)?.[0] ?? '';
  expect(said.length).toBeLessThan(5_000);
  expect(await tools.resolve('read_result', { uri, offset: 99_990 })).toMatchObject({
    text: expect.stringContaining('the end'),
  });
});
