/** Their server of skills, over stdio: all skills in the folder that is its argument. */
import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { discoverSkills, registerSkillResources } from '@olaservo/ext-skills/server';

const folder = process.argv[2] ?? '';
const skills = discoverSkills(folder);
serveStdio(() => {
  const server = new McpServer({ name: 'theirs', version: '1' }, { capabilities: { resources: {} } });
  registerSkillResources(server, skills, folder, { template: true, directoryRead: true });
  return server;
});
