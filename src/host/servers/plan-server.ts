/** From what a user named as a server to what opening it means. */
import { planConnection } from '../../connect/target.ts';
import { McpError } from '../../errors.ts';
import type { Act } from '../act/act.ts';
import { type ClassifiedSource, classifySource, type ServerSource } from '../config/source.ts';
import { planCommand } from './plan-command.ts';
import { planUrl } from './plan-url.ts';
import { type ComparedServerPlan, openAct, type ServerPlan, type ServerPlanOptions } from './server-plan.ts';
import type { LookupContext, Lookups } from './text-resolver.ts';

/** Throws what the compiler would have said. */
export function checkSource(label: string, source: ServerSource): ClassifiedSource {
  const found = classifySource(source);
  if (found !== undefined) return found;
  const why = `it must be a URL, { url }, { command, args }, a server, or a transport, not ${typeof source}`;
  throw new McpError('MCP_BAD_DEFINITION', { what: `The server "${label}"`, why });
}

export async function planServer(target: ClassifiedSource, options: ServerPlanOptions): Promise<ComparedServerPlan> {
  const lookups = cachingLookups(options.lookups);
  const made = (): Promise<ServerPlan> => planOnce(target, { ...options, lookups });
  const current = async (): Promise<Pick<Act, 'definition'>> => ({ definition: (await made()).act.definition });
  return { ...(await made()), current };
}

function planOnce(target: ClassifiedSource, options: ServerPlanOptions): Promise<ServerPlan> {
  if (target.kind === 'command') return planCommand(target.source, options);
  if (target.kind === 'url') return planUrl(target.source, options);
  const inside = target.kind === 'process';
  const act: Act = {
    ...openAct(options.label),
    name: inside ? 'a server in this process' : 'a transport of your own',
    // Nothing leaves this process until a tool does something.
    ...(inside ? { effects: 'read', openWorld: false } : {}),
  };
  return Promise.resolve({ act, warnings: [], resolve: async () => planConnection(target.source, options.connect) });
}

/** What somebody had to look up or enter for one opening is not asked for again. */
function cachingLookups({ secrets, inputs, ...rest }: Lookups): Lookups {
  return {
    ...rest,
    secrets: secrets && cacheAnswers(secrets, (name) => name),
    inputs: inputs && cacheAnswers(inputs, ({ id }) => id),
  };
}

function cacheAnswers<T>(
  find: (what: T, asking: LookupContext) => string | Promise<string>,
  keyOf: (what: T) => string,
): (what: T, asking: LookupContext) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return async (what, asking) => {
    const key = keyOf(what);
    const answer = known.get(key) ?? Promise.resolve(find(what, asking));
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}
