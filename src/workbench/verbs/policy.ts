/** Verbs about permissions: rules, decisions, rehearsal of other rules, approvals, audit log, lock. */
import { randomUUID } from 'node:crypto';
import { badDefinition, messageOf } from '../../errors.ts';
import { type ActMatch, type Rule, rehearse, rules } from '../../host/index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { number, oneOf, optional, type Shape, string } from '../../model/shape.ts';
import type { DraftRule, LockRow } from '../protocol-policy.ts';
import type { DecisionRow } from '../protocol-rows.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 200;
const MAX_DRAFT = 200;
const draft: Shape<readonly DraftRule[]> = (value, at) => {
  const isRule = (one: unknown): boolean =>
    isObject(one) && ['allow', 'ask', 'deny'].some((verdict) => verdict === one['verdict']) && isObject(one['match']);
  const holds = Array.isArray(value) && value.length <= MAX_DRAFT && value.every(isRule);
  return holds ? undefined : `"${at}" must be a list of { verdict, match }`;
};

export function policyVerbs(bench: Workbench): VerbTable {
  const { decisions, host, options } = bench;
  return {
    'policy.rules': verb({}, () => {
      const decided = decisions.rows();
      const counted = options.policy.map(({ text }) => ({
        text,
        decided: decided.filter(({ rule }) => rule === text).length,
      }));
      return { name: options.policyName, rules: counted };
    }),
    'policy.decisions': verb(
      {
        only: optional(oneOf<'asked' | 'denied'>('asked', 'denied')),
        act: optional(string),
        offset: optional(number),
        limit: optional(number),
      },
      ({ only, act, offset, limit = PAGE }) => {
        const found = decisions.rows().filter((one) => one.act === act || isAmong(one, only));
        const length = Math.max(1, Math.min(limit, PAGE));
        const place = Math.max(
          0,
          found.findIndex((one) => one.act === act),
        );
        const from = Math.max(0, offset ?? place - (place % length));
        return { decisions: found.slice(from, from + length), offset: from, total: found.length };
      },
    ),
    'policy.rehearse': verb({ rules: draft }, async ({ rules: drafted }) => {
      const { changes, undecidable, decisions: total } = await rehearse(drafted.map(toRule), decisions.records);
      // If no drafted rule matches, the session's own rules decide as before.
      const changed = changes.filter(({ rule }) => rule !== 'none');
      return {
        decisions: total,
        changes: changed.map(({ example, ...change }) => ({ ...change, example: decisions.row(example) })),
        undecidable: undecidable.map(({ why, count }) => ({ why, count })),
      };
    }),
    'policy.approvals': verb({}, async () => ({
      approvals: (await host.approvals.list()).map(({ id, server, kind, name, rule, arguments: args, until, at }) => ({
        ...{ id, server, kind, name, rule, at, anyArguments: args === undefined },
        until: until ?? ('session' as const),
      })),
    })),
    'policy.revoke': verb({ id: string }, async ({ id }) => ({ revoked: await host.approvals.revoke(id) })),
    'audit.verify': verb({}, async () => {
      const { audit } = options;
      if (audit === undefined) return { records: decisions.records.length, ok: true };
      return { file: audit.path, ...(await audit.verify()) };
    }),
    'lock.diff': verb({}, async () => ({ file: lockFile(bench), items: await lockRows(bench) })),
    'lock.accept': verb(
      {
        ...{ kind: oneOf<LockRow['kind']>('tool', 'prompt', 'template', 'instructions'), name: string, hash: string },
      },
      async ({ kind, name, hash }) => {
        await host.accept(kind, name, hash);
        await recordAccepted(bench, { kind, name, hash });
      },
    ),
  };
}

function isAmong({ verdict, allowed }: DecisionRow, only: 'asked' | 'denied' | undefined): boolean {
  if (only === undefined) return true;
  return only === 'asked' ? verdict === 'ask' : !allowed;
}

/** Compiles a rule of a page. Its match is JSON, so it cannot contain functions. */
function toRule({ verdict, match }: DraftRule): Rule {
  try {
    return rules[verdict](match as ActMatch); // validated by the rule
  } catch (error) {
    throw badDefinition('The rule', messageOf(error));
  }
}

function lockFile({ options }: Workbench): string | undefined {
  const { lockfile } = options.host;
  return typeof lockfile === 'string' ? lockfile : lockfile?.path;
}

async function lockRows(bench: Workbench): Promise<readonly LockRow[]> {
  const { catalogue } = bench.session;
  const [tools, prompts, templates] = await Promise.all([
    catalogue.tools(),
    catalogue.prompts(),
    catalogue.templates(),
  ]);
  const rows = [
    ...tools.map((one) => ({ kind: 'tool' as const, ...one })),
    ...prompts.map((one) => ({ kind: 'prompt' as const, ...one })),
    ...templates.map((one) => ({ kind: 'template' as const, ...one })),
    ...catalogue.instructions().map((one) => ({ kind: 'instructions' as const, name: one.server, ...one })),
  ];
  return rows.map(({ kind, server, name, hash, status, warnings }) => ({
    ...{ kind, server, name, hash, status },
    changes: bench.scrub(server, warnings),
  }));
}

/** Writes an audit record for a definition that the user accepted in the page. */
async function recordAccepted({ decisions, clock, options }: Workbench, accepted: JsonObject): Promise<void> {
  const server = String(accepted['name']).split('.')[0] ?? '';
  const about = {
    principal: options.principal,
    effects: 'read',
    claimed: 'read',
    openWorld: false,
    carries: [],
  } as const;
  await decisions.write({
    ...{ id: randomUUID(), at: clock.wall(), phase: 'done', allowed: true, binding: String(accepted['hash']) },
    act: { kind: 'extension', server, name: 'lock/accept', arguments: accepted, ...about },
    decision: { verdict: 'ask', rule: 'the lock', why: 'the definition was not approved before' },
    consent: { allow: true, edited: false },
    outcome: 'pinned',
  });
}
