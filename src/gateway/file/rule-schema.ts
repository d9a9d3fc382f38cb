/** The JSON Schema of one rule. Conditions are validated further when the policy compiles them. */
import type { RuleEntry } from '../policy/read-rules.ts';
import {
  choiceMember,
  countMember,
  type FileSchema,
  flagMember,
  objectMember,
  oneOfMembers,
  recordMember,
  textOrTextsMember,
} from './file-schema.ts';

const matched = {
  server: textOrTextsMember('Labels; * stands for anything.'),
  view: textOrTextsMember('Views.'),
  kind: textOrTextsMember('tool, prompt or resource.'),
  name: textOrTextsMember("The upstream's own names or URIs; * stands for anything."),
  effects: textOrTextsMember('read, write, destructive or unknown.'),
  status: textOrTextsMember('What the lock says of the definition.'),
  arguments: recordMember({}, 'Values by name, or { pattern } with a regular expression.'),
  principal: textOrTextsMember('Subjects of tokens.'),
  client: textOrTextsMember('Client ids.'),
  scopes: textOrTextsMember('The caller has all of them.'),
  lacks: textOrTextsMember('The caller does not have all of them.'),
  claims: recordMember({}, 'Values of claims, by name or path; * stands for anything.'),
};
const match = objectMember<typeof matched>('All that is named must hold; of a list, one. {} is everything.', matched);

export const ruleSchema: FileSchema = oneOfMembers(
  objectMember<RuleEntry>('One rule. The first that applies decides; where none does, the request is denied.', {
    allow: match,
    ask: match,
    deny: objectMember<typeof matched & { visible: unknown }>('Denies, and does not list.', {
      ...matched,
      visible: flagMember('Lists what it denies, and says which rule denies it.'),
    }),
    budget: objectMember<NonNullable<RuleEntry['budget']>>(
      'Denies what goes beyond it.',
      {
        match,
        calls: countMember('So many calls.'),
        per: choiceMember(['hour', 'day'], 'In which time.'),
        for: choiceMember(['principal', 'all'], 'Counted for each person, or for all together. principal.'),
      },
      ['calls', 'per'],
    ),
    trustAnnotationsOf: textOrTextsMember('Believes what these upstreams say of their tools.'),
  }),
);
