/** Programs in JavaScript that leave out an argument: the error names the function and what it expects. */
import { expect, test } from 'vitest';
import * as auth from '../../src/auth/index.ts';
import * as skills from '../../src/extensions/skills/index.ts';
import * as tasks from '../../src/extensions/tasks/index.ts';
import * as hosts from '../../src/host/index.ts';
import * as redis from '../../src/stores/redis/index.ts';

type Call = () => unknown;
// A program without types can leave out everything.
const bare = (call: unknown): Call => call as Call;

test.each([
  ['skills(folder)', skills.skills],
  ['dynamicSkill(spec)', skills.dynamicSkill],
  ['sqliteTasks(file)', tasks.sqliteTasks],
  ['redisTasks(options)', redis.redisTasks],
  ['redisStores(options)', redis.redisStores],
  ['redisBackend(options)', redis.redisBackend],
  ['fromNodeRedis(client)', redis.fromNodeRedis],
  ['fromIoredis(client)', redis.fromIoredis],
  ['protectedResource(options)', auth.protectedResource],
  ['fileCredentials(path, options)', auth.fileCredentials],
  ['tokenExchange(options)', auth.tokenExchange],
  ['workloadIdentity(options)', auth.workloadIdentity],
  ['enterpriseManaged(options)', auth.enterpriseManaged],
  ['manualSignIn(options)', auth.manualSignIn],
  ['writeConfig(path, name, change)', hosts.writeConfig],
  ['fileTickets(folder)', hosts.fileTickets],
  ['fileApprovals(folder)', hosts.fileApprovals],
  ['fileInbox(folder)', hosts.fileInbox],
  ['ndjsonAudit(path)', hosts.ndjsonAudit],
  ['inboxConsent(store)', hosts.inboxConsent],
  ['exportTools(tools, format)', hosts.exportTools],
])('%s without its argument says what is expected', async (written, call) => {
  const running = Promise.resolve().then(bare(call));
  await expect(running).rejects.toMatchObject({
    code: 'MCP_BAD_DEFINITION',
    message: expect.stringMatching(/^[^:]+: expected .*, not undefined$/),
  });
  await expect(running).rejects.toThrow(written);
});

test.each([
  ['session.call(name)', 'call'],
  ['session.prompt(name)', 'prompt'],
  ['session.complete(server, ref, options)', 'complete'],
] as const)('%s without its argument says what is expected', async (written, method) => {
  await using host = hosts.createHost({ servers: {}, policy: [] });
  await using session = host.session();
  const running = Promise.resolve().then(() => bare(session[method]).call(session));
  await expect(running).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
  await expect(running).rejects.toThrow(`${written}: expected`);
});
