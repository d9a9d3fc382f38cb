/** A server with everything that the official conformance suite checks. */
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

/** Parts that are added and removed, to cause change notifications. */
const guests = {
  tool: tool({ name: 'test_guest_tool', description: 'Is here only now and then', run: () => 'Here' }),
  prompt: prompt({ name: 'test_guest_prompt', description: 'Is here only now and then', render: () => 'Here' }),
};

/** Adds or removes the part. */
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
    // Deprecated features are here on purpose.
    onWarning: () => undefined,
    skills,
    tasks: true,
    parts: [...plainTools, ...askingTools, ...taskTools, ...news(() => server), ...resources, ...prompts],
  });
  return server;
}
