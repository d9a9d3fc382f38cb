/** Plans how to open a server from any kind of source. */
import { planConnection } from '../../connect/target.ts';
import { badDefinition } from '../../errors.ts';
import { valueKind } from '../../model/value-kind.ts';
import type { Act } from '../act/act.ts';
import { type ClassifiedSource, classifySource, type ServerSource } from '../config/source.ts';
import { planCommand } from './plan-command.ts';
import { planUrl } from './plan-url.ts';
import { type ComparedServerPlan, openAct, type ServerPlan, type ServerPlanOptions } from './server-plan.ts';
import { cacheLookups } from './text-resolver.ts';

/** Throws for sources that the compiler would reject. */
export function checkSource(label: string, source: ServerSource): ClassifiedSource {
  const found = classifySource(source);
  if (found !== undefined) return found;
  const why = `it must be a URL, { url }, { command, args }, a server, or a transport, not ${valueKind(source)}`;
  throw badDefinition(`The server "${label}"`, why);
}

export async function planServer(target: ClassifiedSource, options: ServerPlanOptions): Promise<ComparedServerPlan> {
  const lookups = cacheLookups(options.lookups);
  const plan = (): Promise<ServerPlan> => planOnce(target, { ...options, lookups });
  const current = async (): Promise<Pick<Act, 'definition'>> => ({ definition: (await plan()).act.definition });
  return { ...(await plan()), current };
}

function planOnce(target: ClassifiedSource, options: ServerPlanOptions): Promise<ServerPlan> {
  if (target.kind === 'command') return planCommand(target.source, options);
  if (target.kind === 'url') return planUrl(target.source, options);
  const isInside = target.kind === 'process';
  const act: Act = {
    ...openAct(options.label),
    name: isInside ? 'a server in this process' : 'a transport of your own',
    // Opening sends nothing out of this process.
    ...(isInside ? { effects: 'read', openWorld: false } : {}),
  };
  return Promise.resolve({ act, warnings: [], resolve: async () => planConnection(target.source, options.connect) });
}
