/** Computes the client capabilities that an upstream sees: what the caller declared, without what the operator disabled. */
import { isObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import { missingCapability } from '../../revisions/asks/question.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import type { AudienceRequest, UpstreamAudience, UpstreamQuestions } from '../contract.ts';

/** One sample question per capability, to test whether the caller declared it. */
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
  // The common case.
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
    // Without `listChanged`: the gateway does not forward root changes to upstreams.
    ...(roots && can(probes.roots) ? { roots: {} } : {}),
  };
}

/** The audience of an upstream conversation, the same for calls and lists. */
export function audienceOf(incoming: AudienceRequest, questions: UpstreamQuestions): UpstreamAudience {
  const { principal, session, link, caller, revision } = incoming;
  const capabilities = questionCapabilities(caller.capabilities, revision, questions);
  return { principal, session, auth: link.auth, capabilities };
}
