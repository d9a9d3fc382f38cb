/** What an upstream can ask of a caller: never more than the caller declared, and less what the gateway does not carry. */
import { isObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import { missingCapability } from '../../revisions/asks/question.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import type { GatewayRequest, UpstreamAudience, UpstreamQuestions } from '../contract.ts';

/** Questions that stand for a whole capability. */
const probes = {
  form: { method: 'elicitation/create', params: {} },
  visit: { method: 'elicitation/create', params: { mode: 'url' } },
  sample: { method: 'sampling/createMessage', params: {} },
  tools: { method: 'sampling/createMessage', params: { tools: [] } },
  roots: { method: 'roots/list', params: {} },
} as const satisfies Readonly<Record<string, Question>>;

const NOTHING: ClientCapabilities = Object.freeze({});

export function questionCapabilities(
  declared: ClientCapabilities,
  revision: Revision,
  { form = true, visit, sample = true, roots = true }: UpstreamQuestions = {},
): ClientCapabilities {
  // Most callers declare none of it.
  if (declared.elicitation === undefined && declared.sampling === undefined && declared.roots === undefined)
    return NOTHING;
  const can = (probe: Question): boolean => missingCapability(probe, declared, revision.vocabulary) === undefined;
  const forms = form && can(probes.form);
  const visits = visit !== undefined && visit.hosts.length > 0 && can(probes.visit);
  const context = isObject(declared.sampling?.context);
  return {
    ...(forms || visits ? { elicitation: { ...(forms ? { form: {} } : {}), ...(visits ? { url: {} } : {}) } } : {}),
    ...(sample && can(probes.sample)
      ? { sampling: { ...(context ? { context: {} } : {}), ...(can(probes.tools) ? { tools: {} } : {}) } }
      : {}),
    // Where clients of a revision can report changes of their roots, these do not reach upstreams.
    ...(roots && can(probes.roots) ? { roots: {} } : {}),
  };
}

/** For whom a conversation with an upstream is, and what can be asked on it: the same for calls and for lists. */
export function audienceOf(incoming: GatewayRequest, questions: UpstreamQuestions): UpstreamAudience {
  const { principal, session, link, caller, revision } = incoming;
  const capabilities = questionCapabilities(caller.capabilities, revision, questions);
  return { principal, session, auth: link.auth, capabilities };
}
