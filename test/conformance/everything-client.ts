/**
 * The everything-client: plays one scenario of the official conformance suite against the server that the suite started.
 *
 *   MCP_CONFORMANCE_SCENARIO=tools_call npm run conformance:client -- http://localhost:3000/mcp
 *
 * MCP_CONFORMANCE_PROTOCOL_VERSION is the revision to use (default: any), MCP_CONFORMANCE_CONTEXT is JSON for
 * some scenarios.
 */
import { type Client, type ConnectOptions, connect, ToolError, type UrlOptions } from 'mooring/client';
import { listSkills, loadSkill } from 'mooring/skills';
import { authorized, type SuiteContext } from './everything-auth.ts';

type Play = (client: Client) => Promise<unknown>;
interface Scenario {
  readonly options?: ConnectOptions & UrlOptions;
  readonly play: Play;
}

/** A client that accepts all questions. */
const obliging: ConnectOptions = {
  elicit: () => ({ action: 'accept', content: {} }),
  sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Nothing to say' } }),
  roots: [{ uri: 'file:///workspace' }],
};

/** Some servers of the suite offer nothing, and check only the requests. */
const look: Play = (client) =>
  client.server.capabilities.tools === undefined ? client.ping() : client.list('tools').all();

const scenarios: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['initialize', { play: look }],
  ['request-metadata', { options: obliging, play: look }],
  ['json-schema-ref-no-deref', { play: look }],
  ['tools_call', { play: addNumbers }],
  ['elicitation-sep1034-client-defaults', { options: obliging, play: callFirst('test_client_elicitation_defaults') }],
  ['sse-retry', { play: callFirst('test_reconnection') }],
  ['json-schema-2020-12-preservation', { play: echoSchema }],
  ['http-standard-headers', { play: useEverything }],
  ['http-custom-headers', { play: callAsTold }],
  ['http-invalid-tool-headers', { play: callWhatIsLeft }],
  [
    'sep-2322-client-request-state',
    { options: { elicit: () => ({ action: 'accept', content: { confirmed: true } }) }, play: answerRounds },
  ],
  ['sep-2640-client-no-prefetch', { play: (client) => listSkills(client) }],
  ['sep-2640-client-verify-digest', { play: useFirstSkill }],
  ['sep-2640-client-verify-size', { play: useFirstSkill }],
  ['sep-2640-client-verify-frontmatter', { play: useFirstSkill }],
]);

/** Scenarios about authorization differ only in the authorization. */
function scenarioOf(name: string): Scenario | undefined {
  if (!name.startsWith('auth/')) return scenarios.get(name);
  return { options: { auth: authorized(name, contextOf()) }, play: callFirst('test-tool') };
}

/** Loads a skill, and reads one of its files. */
async function useFirstSkill(client: Client): Promise<void> {
  const [entry] = await listSkills(client);
  const skill = entry && (await loadSkill(client, entry, () => true));
  await skill?.read('references/FORMS.md');
}

async function addNumbers(client: Client): Promise<void> {
  await client.list('tools').all();
  console.log((await client.call('add_numbers', { a: 5, b: 3 })).text);
}

function callFirst(name: string): Play {
  return async (client) => {
    await client.list('tools').all();
    console.log((await client.call(name)).text);
  };
}

/** Sends a tool's schema back unchanged. */
async function echoSchema(client: Client): Promise<void> {
  const tools = await client.list('tools').all();
  const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
  await client.call('json_schema_echo', { schema });
}

/** Sends one request of each kind that is mirrored in headers. */
async function useEverything(client: Client): Promise<void> {
  for (const { name } of await client.list('tools').all()) await client.call(name);
  for (const { uri } of await client.list('resources').all()) await client.read(uri);
  for (const { name } of await client.list('prompts').all()) await client.getPrompt(name);
}

async function callAsTold(client: Client): Promise<void> {
  await client.list('tools').all();
  for (const { name, arguments: args } of contextOf().toolCalls ?? []) await client.call(name, args);
}

/** Calls all listed tools; invalid tools must not be listed. */
async function callWhatIsLeft(client: Client): Promise<void> {
  for (const { name } of await client.list('tools').all()) await client.call(name, { region: 'us-west1' });
}

async function answerRounds(client: Client): Promise<void> {
  await client.list('tools').all();
  const names = ['test_mrtr_echo_state', 'test_mrtr_unrelated', 'test_mrtr_no_state', 'test_mrtr_no_result_type'];
  for (const name of names) console.log(name, (await client.call(name)).text);
}

const contextOf = (): SuiteContext => JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as SuiteContext; // the suite wrote it

async function main(): Promise<string | undefined> {
  const url = process.argv.at(-1);
  if (process.argv.length < 3 || url === undefined || !URL.canParse(url)) {
    return 'Give the URL of a server: npm run conformance:client -- <url>';
  }
  const name = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const scenario = scenarioOf(name);
  if (scenario === undefined) {
    return `MCP_CONFORMANCE_SCENARIO is "${name}"; it must be auth/… or one of ${[...scenarios.keys()].join(', ')}`;
  }
  const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'];
  await using client = await connect(url, {
    name: 'mooring-everything',
    version: '1.0.0',
    onWarning: (warning) => console.error(warning),
    ...(revision === undefined ? {} : { revisions: [revision] }),
    ...scenario.options,
  });
  await scenario.play(client);
  return undefined;
}

const wrong = await main().catch((error: unknown) => (error instanceof ToolError ? error.message : error));
if (wrong !== undefined) {
  console.error(wrong);
  process.exitCode = 1;
}
