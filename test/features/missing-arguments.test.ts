/** JavaScript programs that omit an argument: the error names the function and the expected argument. */
import { expect, test } from 'vitest';
import * as auth from '../../src/auth/index.ts';
import * as skills from '../../src/extensions/skills/index.ts';
import * as tasks from '../../src/extensions/tasks/index.ts';
import * as hosts from '../../src/host/index.ts';
import * as redis from '../../src/stores/redis/index.ts';
import * as testing from '../../src/testing/index.ts';

type Call = () => unknown;
// JavaScript programs can omit everything.
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
  ['inspect(text)', hosts.inspect],
  ['rehearse(policy, records)', hosts.rehearse],
  ['decidePolicy(policy, act, history)', hosts.decidePolicy],
  ['bestIcon(icons, place)', hosts.bestIcon],
  ['listSkills(client)', skills.listSkills],
  ['loadSkill(client, skill, approve)', skills.loadSkill],
  ['sharedStores(backend)', redis.sharedStores],
  ['signOut(endpoint, options)', auth.signOut],
  ['storedSignIn(endpoint, store)', auth.storedSignIn],
  ['cassette(text)', testing.cassette],
  ['parseTranscript(text)', testing.parseTranscript],
  ['playServer(transcript, server)', testing.playServer],
  ['playClient(transcript, drive)', testing.playClient],
])('%s without its argument says what is expected', async (written, call) => {
  const running = Promise.resolve().then(bare(call));
  await expect(running).rejects.toMatchObject({
    code: 'MCP_BAD_DEFINITION',
    message: expect.stringMatching(/^[^:]+: expected .*, not undefined$/),
  });
  await expect(running).rejects.toThrow(written);
});

const client = { request: () => undefined };
test.each<[string, unknown, unknown[]]>([
  ['exportTools(tools, format)', hosts.exportTools, [{}]],
  ['fromConfig(…paths)', hosts.fromConfig, [7]],
  ['readConfig(…paths)', hosts.readConfig, [null]],
  ['writeConfig(path, name, change)', hosts.writeConfig, ['x.json']],
  ['writeConfig(path, name, change)', hosts.writeConfig, ['x.json', 'shop']],
  ['inspect(text)', hosts.inspect, [7]],
  ['rehearse(policy, records)', hosts.rehearse, [[]]],
  ['decidePolicy(policy, act, history)', hosts.decidePolicy, [[]]],
  ['bestIcon(icons, place)', hosts.bestIcon, [[]]],
  ['listSkills(client)', skills.listSkills, [{}]],
  ['loadSkill(client, skill, approve)', skills.loadSkill, [client]],
  ['loadSkill(client, skill, approve)', skills.loadSkill, [client, 'skill://a']],
  ['sqliteTasks(file)', tasks.sqliteTasks, [{}]],
  ['enterpriseManaged', auth.enterpriseManaged, [{}]],
  ['signOut(endpoint, options)', auth.signOut, ['x', {}]],
  ['signOut(endpoint, options)', auth.signOut, ['https://a.example']],
  ['storedSignIn(endpoint, store)', auth.storedSignIn, ['https://a.example']],
  ['cassette(text)', testing.cassette, [{}]],
  ['parseTranscript(text)', testing.parseTranscript, [{}]],
  ['playServer(transcript, server)', testing.playServer, [[], {}]],
  ['playClient(transcript, drive)', testing.playClient, [[]]],
])('%s with an argument of a wrong kind says what is expected (%#)', async (written, call, given) => {
  const running = Promise.resolve().then(() => (call as (...args: unknown[]) => unknown)(...given)); // as in JavaScript
  await expect(running).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
  await expect(running).rejects.toThrow(written);
  await expect(running).rejects.toThrow(/: expected .*, not /);
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
