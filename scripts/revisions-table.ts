/** Generates the documentation's table of revisions from the source. */
import type { Revision } from '../src/revisions/contract.ts';
import { revisions } from '../src/revisions/index.ts';

const oldestFirst = revisions.toSorted((a, b) => a.id.localeCompare(b.id));

export function revisionsTable(): string {
  return [
    row('revision', ({ id }) => id),
    row('---', () => '---'),
    row('Setup', ({ hasSessions }) => (hasSessions ? 'handshake' : 'in every request')),
    row('Batches', ({ batches }) => tick(batches)),
    row('Invalid tool arguments return', ({ badArguments }) => (badArguments === 'error' ? 'an error' : 'a result')),
    ...section('Requests of the client', names('requests'), ({ methods }, name) => methods.requests.has(name)),
    ...section('Requests of the server', names('questions'), ({ methods }, name) => methods.questions.has(name)),
    ...section('Notifications', names('notifications'), ({ methods }, name) => methods.notifications.has(name)),
  ].join('\n');
}

function names(kind: keyof Revision['methods']): string[] {
  return [...new Set(oldestFirst.flatMap(({ methods }) => [...methods[kind].keys()]))].sort();
}

function section(title: string, rows: readonly string[], has: (revision: Revision, name: string) => boolean): string[] {
  return [
    row(`**${title}**`, () => ''),
    ...rows.map((name) => row(`\`${name}\``, (revision) => tick(has(revision, name)))),
  ];
}

function row(title: string, cell: (revision: Revision) => string): string {
  return `| ${[title, ...oldestFirst.map(cell)].join(' | ')} |`;
}

function tick(yes: boolean): string {
  return yes ? '✓' : '';
}
