/** Helps users of the official SDK: its method names throw an error that names the equivalent here. */
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

/** The prototype of clients; not part of their type. Without it, `client.listTools()` would fail with "is not a function". */
export const sdkNames: object = Object.fromEntries(
  Object.entries(equivalents).map(([name, equivalent]) => [
    name,
    () => {
      throw badDefinition(`client.${name}`, `use client.${equivalent}`);
    },
  ]),
);
