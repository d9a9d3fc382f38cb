/** The server that has everything the official conformance suite looks for. */
import {
  createServer,
  type Part,
  type PromptPart,
  prompt,
  type Server,
  type SkillSet,
  type ToolPart,
  tool,
} from 'mooring';
import { prompts, resources } from './documents.ts';
import { askingTools } from './questions.ts';
import { taskTools } from './tasks.ts';
import { plainTools } from './tools.ts';

/** Parts that come and go, so that there is news. */
const guests = {
  tool: tool({ name: 'test_guest_tool', description: 'Is here only now and then', run: () => 'Here' }),
  prompt: prompt({ name: 'test_guest_prompt', description: 'Is here only now and then', render: () => 'Here' }),
};

/** Adds the guest if it is away and removes it if it is there. */
function toggle(server: Server, part: ToolPart | PromptPart): string {
  const { name } = part;
  if (server.remove(name)) return `${name} has left`;
  server.add(part);
  return `${name} has come`;
}

const news = (server: () => Server): readonly Part[] => [
  tool({
    name: 'test_trigger_tool_change',
    description: 'Changes the list of tools',
    run: () => toggle(server(), guests.tool),
  }),
  tool({
    name: 'test_trigger_prompt_change',
    description: 'Changes the list of prompts',
    run: () => toggle(server(), guests.prompt),
  }),
];

export function createEverything(skills: SkillSet): Server {
  const server: Server = createServer({
    name: 'mooring-everything',
    version: '1.0.0',
    title: 'Everything',
    instructions: 'For tests: every part shows one thing that a server can do.',
    // Sampling, roots and logging are here to be tested; that they are deprecated is known.
    onWarning: () => undefined,
    skills,
    tasks: true,
    parts: [...plainTools, ...askingTools, ...taskTools, ...news(() => server), ...resources, ...prompts],
  });
  return server;
}
