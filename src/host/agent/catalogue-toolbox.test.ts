import { expect, test } from 'vitest';
import { Offering, Stocked, tool } from '../../../test/support/stocked.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { Results } from '../catalogue/results.ts';
import { CatalogueToolbox } from './catalogue-toolbox.ts';
import type { TurnTools } from './toolbox.ts';

const { signal } = new AbortController();
const text = (said: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: said });
const namesOf = ({ tools }: TurnTools): string[] => tools.map(({ name }) => name);

test('a small catalogue is offered whole, under names that models may use', async () => {
  await using given = new Stocked({ mail: new Offering({ tools: [tool('send'), tool('read')] }) });
  const offer = await new CatalogueToolbox({ view: given.view(), results: new Results() }).open('Send it', signal);
  expect(namesOf(offer).toSorted()).toEqual(['mail__read', 'mail__send', 'read_result']);
  expect(await offer.want('mail__send', { to: 'ada' })).toEqual({
    name: 'mail.send',
    server: 'mail',
    arguments: { to: 'ada' },
  });
  await expect(offer.want('mail__burn', {})).rejects.toThrow(/none such/);
});

test('of a large one, what fits the prompt and tools for finding the rest; what was offered stays', async () => {
  verifies('HOST-41', 'HOST-44');
  const many = Array.from({ length: 400 }, (_, i) =>
    tool(`part_${i}`, { description: `Makes part ${i} ${'of a ship '.repeat(10)}` }),
  );
  await using given = new Stocked({
    yard: new Offering({ tools: [...many, tool('launch', { description: 'Launches a vessel' })] }),
  });
  const toolbox = new CatalogueToolbox({ view: given.view(), results: new Results() });
  const first = await toolbox.open('launch the vessel', signal);
  expect(namesOf(first)).toEqual(expect.arrayContaining(['search_tools', 'call_tool', 'read_result', 'yard__launch']));
  expect(namesOf(first).length).toBeLessThan(401);
  const second = await toolbox.open('part 17', signal);
  expect(namesOf(second).slice(0, namesOf(first).length)).toEqual(namesOf(first));
  expect(await first.want('call_tool', { name: 'yard__part_399', arguments: {} })).toMatchObject({
    name: 'yard.part_399',
  });
});

test('what is too long for a model is kept, and read on by the model itself', async () => {
  await using given = new Stocked({ mail: new Offering({ tools: [tool('read')] }) });
  const offer = await new CatalogueToolbox({ view: given.view(), results: new Results() }).open('Read it', signal);
  const [shown] = offer.show('mail.read', [text(`${'word '.repeat(20_000)}the end`)]);
  const said = shown?.type === 'text' ? shown.text : '';
  const uri = /host:\/\/results\/[\w-]+/.exec(said)?.[0] ?? '';
  expect(said.length).toBeLessThan(5_000);
  expect(await offer.want('read_result', { uri, offset: 99_990 })).toMatchObject({
    text: expect.stringContaining('the end'),
  });
});
