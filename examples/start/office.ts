/** The third server of `npm start`: it listens on HTTP, on this machine only, and asks questions. */
import { createServer, type Server, ToolError, tool } from 'mooring';
import { type HttpListener, serveHttp } from 'mooring/node';
import * as z from 'zod';

const ship = z.string().min(1).describe('The name of a ship');
const stay = z.object({
  nights: z.number().int().min(1).max(30).describe('How many nights').default(1),
  power: z.boolean().describe('Shore power').default(false),
});

const office = (revisions?: readonly string[]): Server => {
  const berths = new Map([
    [1, 'Aurora'],
    [2, ''],
    [3, ''],
  ]);
  const text = (): string => [...berths].map(([berth, name]) => `berth ${berth}: ${name || 'free'}`).join('\n');
  return createServer({
    name: 'office',
    title: 'The harbour office',
    version: '1.0.0',
    instructions: 'Look at the berths before you book one.',
    onWarning: () => undefined,
    ...(revisions === undefined ? {} : { revisions }),
    parts: [
      tool({ name: 'berths', description: 'Which berths are free', effects: 'read', openWorld: false, run: text }),
      tool({
        name: 'book',
        description: 'Book a berth; asks you for the details',
        effects: 'write',
        openWorld: false,
        input: z.object({ ship }),
        async run({ ship: name }, ctx) {
          const [free] = [...berths].find(([, taken]) => taken === '') ?? [];
          if (free === undefined) throw new ToolError('Every berth is taken');
          const said = await ctx.ask('stay', `How long does the ${name} stay?`, stay);
          if (!said.accepted) throw new ToolError('Not booked: the duration is missing');
          berths.set(free, name);
          const { nights, power } = said.value;
          return `Berth ${free} is booked for the ${name}: ${nights} nights, ${power ? 'with' : 'without'} power`;
        },
      }),
      tool({
        name: 'evict',
        description: 'Send a ship away, now',
        effects: 'destructive',
        openWorld: false,
        input: z.object({ ship }),
        run({ ship: name }) {
          const [berth] = [...berths].find(([, taken]) => taken === name) ?? [];
          if (berth === undefined) throw new ToolError(`There is no ship called ${name}`);
          berths.set(berth, '');
          return `The ${name} is gone`;
        },
      }),
      tool({
        name: 'greet',
        description: 'Greet a ship in words that your model finds',
        effects: 'read',
        openWorld: false,
        input: z.object({ ship }),
        async run({ ship: name }, ctx) {
          const question = { type: 'text', text: `Greet the ${name} in one sentence.` } as const;
          const { content } = await ctx.sample('greeting', {
            messages: [{ role: 'user', content: question }],
            maxTokens: 60,
          });
          return [content]
            .flat()
            .map((block) => (block.type === 'text' ? block.text : ''))
            .join('');
        },
      }),
    ],
  });
};

/** The oldest clients find it under a path of their own. */
export const openOffice = (revisions?: readonly string[]): Promise<HttpListener> =>
  serveHttp(office(revisions), { port: 0, sse: '/sse' });
