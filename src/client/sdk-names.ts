/** What the official SDK calls the methods of a client. */
import { badDefinition } from '../errors.ts';

const equivalents = {
  callTool: 'call(name, args)',
  getServerCapabilities: 'server.capabilities',
  listPrompts: "list('prompts').all()",
  listResources: "list('resources').all()",
  listResourceTemplates: "list('templates').all()",
  listTools: "list('tools').all()",
  readResource: 'read(uri)',
  sendRootsListChanged: 'rootsChanged()',
  setLoggingLevel: 'setLogLevel(level)',
  subscribeResource: 'watch({ resources: [uri] })',
};

/** The prototype of clients, which the compiler does not know of. Without it, `client.listTools()` fails with "is not a function". */
export const sdkNames: object = Object.fromEntries(
  Object.entries(equivalents).map(([name, equivalent]) => [
    name,
    () => {
      throw badDefinition(`client.${name}`, `here it is client.${equivalent}`);
    },
  ]),
);
