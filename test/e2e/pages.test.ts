/** The runner of pages, on correct and faulty pages, with real commands and the packages of this repository. */
import { resolve } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { parsePage } from '../../scripts/pages/blocks.ts';
import { type Played, playPage } from '../../scripts/pages/play.ts';
import { eventually } from '../support/children.ts';
import { hasTerminals } from '../support/pseudo-terminal.ts';

const packages = { folder: resolve('node_modules'), known: ['tsx', 'zod'] };
const begin = '<!-- run -->\n```sh\nmkdir shop && cd shop\nnpm init -y\n```\n';

const file = (name: string, text: string): string => `<!-- file: ${name} -->\n\`\`\`ts\n${text}\n\`\`\`\n`;
const run = (line: string, marker = 'run'): string => `<!-- ${marker} -->\n\`\`\`sh\n${line}\n\`\`\`\n`;
const output = (text: string, marker = 'output'): string => `<!-- ${marker} -->\n\`\`\`text\n${text}\n\`\`\`\n`;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const play = async (...blocks: string[]): Promise<Played> =>
  await playPage(parsePage('page.md', [begin, ...blocks].join('')), packages);

describe('a page', () => {
  test('passes when its files compile and its commands print what it shows', async () => {
    const { problems, commands, stale } = await play(
      run('npm install zod tsx'),
      file('a.ts', "import * as z from 'zod';\nconsole.log(z.string().parse('fine'));"),
      run('npx tsx a.ts'),
      output('fine'),
      file('a.ts', "console.log('one\\ntwo');\nprocess.exitCode = 3;"),
      run('npx tsx a.ts', 'run: exit 3'),
      output('two', 'output: lines 2-2'),
    );
    expect(problems).toEqual([]);
    expect([commands, stale.size]).toEqual([5, 0]);
  });

  test('fails when a file does not compile, also one that is replaced later', async () => {
    const { problems } = await play(file('a.ts', "const a: number = 'x';\nexport { a };"), file('a.ts', 'export {};'));
    expect(problems).toEqual([expect.stringContaining('page.md:12: the files above do not compile:')]);
    expect(problems[0]).toContain("a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.");
  });

  test('fails where its output is stale, and knows what was printed', async () => {
    const { problems, stale } = await play(run('echo new; echo err >&2'), output('old'));
    expect(problems).toEqual([
      expect.stringMatching(/^page\.md:11: the output is stale; expected:\n +old\n +printed:\n +new\n +err$/),
    ]);
    expect([...stale]).toEqual([[11, 'new\nerr\n']]);
  });

  test('fails at the first command with another exit code, and stops there', async () => {
    const { problems, commands } = await play(run('echo why; exit 4'), run('echo never'));
    expect(problems).toEqual([
      expect.stringContaining('page.md:7: `echo why; exit 4` must exit with 0, and exited with 4; its output:\nwhy'),
    ]);
    expect(commands).toBe(3);
  });

  test('fails when a command that must fail does not', async () => {
    const { problems } = await play(run('true', 'run: exit 2'));
    expect(problems).toEqual([expect.stringContaining('must exit with 2, and exited with 0')]);
  });

  test('installs and starts nothing that was not prepared', async () => {
    expect((await play(run('npm install left-pad'))).problems[0]).toContain('pages do not have left-pad');
    expect((await play(run('npx cowsay'))).problems[0]).toContain('cowsay is not installed in the folder of this page');
  });

  test('has a home of its own, and keeps a command in the background running', async () => {
    const { problems } = await play(
      run('echo "$HOME"'),
      output('/home/you'),
      run(`node -e "console.log('up'); setInterval(() => console.log('tick'), 100)"`, 'run: background until "up"'),
      output('up'),
      output('tick', 'output: lines 1-1, until "tick"'),
    );
    expect(problems).toEqual([]);
  });

  test('ends every process that it started', async () => {
    const { stale } = await play(run('echo "$$ up"; sleep 1000', 'run: background until "up"'), output('its id'));
    const [, pid] = /^(\d+) up$/m.exec(stale.get(11) ?? '') ?? [];
    await eventually(`${pid} ends`, () => !isAlive(Number(pid)));
  });

  test('fails when a command in the background ends early', async () => {
    const { problems } = await play(run('echo no', 'run: background until "listening"'));
    expect(problems[0]).toContain('`echo no` ended (code 0) without printing "listening"; its output:\nno');
  });

  test.runIf(hasTerminals)('types on a terminal when the program waits', async () => {
    const ask = "const ask = require('node:readline/promises').createInterface(process.stdin, process.stdout)";
    const { problems } = await play(
      run(
        `node -e "${ask}; ask.question('Name? ').then((name) => { console.log('Hello', name); ask.close() })"`,
        'run: input "Ada\\n"',
      ),
      output('Name? Ada\nHello Ada'),
    );
    expect(problems).toEqual([]);
  });

  test('fails where a block that nothing runs does not parse', async () => {
    const { problems, notRun } = await play('<!-- not run: no engine here -->\n```json\n{"a":}\n```\n');
    expect(problems).toEqual([expect.stringContaining('page.md:7: the json block does not parse')]);
    expect(notRun).toEqual(['no engine here']);
  });
});
