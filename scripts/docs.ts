/**
 * Generates parts of the documentation: code from `examples/`, the table of revisions, the help of the commands, the reference of each
 * entry point, and `llms.txt`. `--check` fails if a page differs from its source.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { commandsPage } from './commands-page.ts';
import { filesUnder } from './files.ts';
import { llmsText } from './llms-text.ts';
import { referencePages, undocumented } from './reference.ts';
import { revisionsTable } from './revisions-table.ts';

const check = process.argv.includes('--check');
const problems: string[] = undocumented();
const generated = new Map([...referencePages(), ['llms.txt', llmsText()]]);
const pages = [...new Set([...filesUnder('docs', '.md'), ...generated.keys(), 'README.md'])];
const commands = await commandsPage();

mkdirSync('docs/reference/api', { recursive: true });
for (const page of pages) {
  const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
  const after = generated.get(page) ?? withCommands(withTable(withCode(before, page)));
  if (after === before) continue;
  if (check) problems.push(`${page} differs from what it quotes; run \`npm run docs\` and review the diff`);
  else writeFileSync(page, after);
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${pages.length} pages say what their sources say.`);
}

/** Fills the code block after each `<!-- from examples/x.ts#region -->`. */
function withCode(text: string, page: string): string {
  const block = /(<!-- from (examples\/[^\s#]+)(?:#(\S+))? -->\n)```(\w*)\n[\s\S]*?^```$/gm;
  const filled = text.replace(block, (whole, marker: string, file: string, region: string | undefined, tag: string) => {
    const code = cut(file, region);
    if (code === undefined)
      problems.push(`${page} quotes ${file}#${region ?? ''}, which does not exist; mend the marker`);
    return code === undefined ? whole : `${marker}\`\`\`${tag}\n${code}\n\`\`\``;
  });
  const markers = [...text.matchAll(/<!-- from /g)].length;
  if (markers !== [...text.matchAll(block)].length) {
    problems.push(`${page} has a "from" marker without a code block right below it; add one, it may be empty`);
  }
  return filled;
}

/** The lines between `// #region name` and `// #endregion`, dedented; the whole file if there is no name. */
function cut(file: string, region: string | undefined): string | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const from = region === undefined ? 0 : lines.findIndex((line) => line.trim() === `// #region ${region}`) + 1;
  if (region !== undefined && from === 0) return undefined;
  const kept: string[] = [];
  let depth = 1;
  for (const line of lines.slice(from)) {
    if (line.trim().startsWith('// #region ')) depth += 1;
    else if (line.trim() === '// #endregion') depth -= 1;
    else kept.push(line);
    if (depth === 0) break;
  }
  const margins = kept.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return kept
    .map((line) => line.slice(Math.min(...margins)))
    .join('\n')
    .trim();
}

function withTable(text: string): string {
  return text.replace(
    /(<!-- revisions -->\n)[\s\S]*?(<!-- end of revisions -->)/,
    (_, start: string, end: string) => `${start}\n${revisionsTable()}\n\n${end}`,
  );
}

function withCommands(text: string): string {
  return text.replace(
    /(<!-- commands -->\n)[\s\S]*?(<!-- end of commands -->)/,
    (_, start: string, end: string) => `${start}\n${commands}\n\n${end}`,
  );
}
