/**
 * The tour: a host with three servers (in this process, a program of its own, HTTP), and everything that a host does with them, once
 * per protocol revision. Every step checks what came of it; the first surprise ends the tour with exit code 1.
 *
 *   npm start < /dev/null
 */
import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { revisionIds } from 'mooring/client';
import { type ConsentAnswer, createHost, type Host, rules, type Session } from 'mooring/host';
import { openHarbour, policy } from './start/harbour.ts';
import { parrot } from './start/parrot.ts';

assert.ok(existsSync(new URL('../dist/index.js', import.meta.url)), 'The crane runs the built package: npm run build');
const began = performance.now();
const [oldest] = revisionIds.toSorted();

/** A user with prepared answers. */
class Person {
  readonly asked: string[] = [];
  readonly forms: string[] = [];
  answers: Omit<ConsentAnswer, 'binding'>[] = [];
}

interface Stop {
  readonly host: Host;
  readonly session: Session;
  readonly person: Person;
}

for (const id of revisionIds) {
  console.log(`\n${id}`);
  await using harbour = await openHarbour([id], { oldest: id === oldest });
  const person = new Person();
  const host = createHost({
    servers: harbour.servers,
    // The oldest servers do not say what their tools do, so that a rule has to name those that only read.
    policy: id === oldest ? [...policy, rules.allow({ name: ['berths', 'lines', 'status', 'greet'] })] : policy,
    model: parrot,
    consent: ({ act }) => {
      person.asked.push(`${act.kind} ${act.name}`);
      return person.answers.shift() ?? { allow: false, reason: 'there is no prepared answer' };
    },
    questions: {
      form: async ({ message }) => {
        person.forms.push(message);
        return { action: 'accept', content: { nights: 2, power: true } };
      },
    },
    onWarning: () => undefined,
  });
  const stop: Stop = { host, session: host.session({ principal: 'ada' }), person };
  try {
    await catalogue(stop, id);
    await rulesAndPerson(stop);
    await question(stop);
    await longWork(stop);
    await model(stop);
  } finally {
    await host.close();
  }
  assert.deepEqual(
    [...host.servers.values()].map(({ state }) => state),
    ['stopped', 'stopped', 'stopped'],
  );
}
const ms = Math.round(performance.now() - began);
console.log(`\n${revisionIds.length} revisions, three servers each, everything as expected, in ${ms} ms.`);

function show(what: string, happened: string): void {
  console.log(`  ${what.padEnd(10)} ${happened.replaceAll('\n', ' / ')}`);
}

async function catalogue({ host, session }: Stop, id: string): Promise<void> {
  const tools = await session.tools();
  const names = ['crane.status', 'crane.unload', 'logbook.lines', 'logbook.write', 'office.berths', 'office.book'];
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...names, 'office.evict', 'office.greet'],
  );
  for (const server of host.servers.values()) {
    assert.equal((await server.connect()).server.revision, id);
    show('server', `${server.label} is ${server.state}: ${server.address}`);
  }
  assert.equal(
    tools.every(({ definition }) => definition.annotations === undefined),
    id === oldest,
  );
  show('catalogue', tools.map(({ name }) => name).join(' '));
  assert.deepEqual(session.catalogue.problems(), []);

  const { messages } = await session.prompt('logbook.report', { reader: 'Ada' });
  const said = messages[0]?.content;
  assert.ok(said?.type === 'text' && said.text.includes('report for Ada'));
  show('prompt', `logbook.report says "${said.text}"`);
}

/** What the rules allow, what a person approves, changes and denies, and what the rules deny. */
async function rulesAndPerson({ host, session, person }: Stop): Promise<void> {
  const free = await session.call('office.berths');
  assert.deepEqual([free.text, person.asked], ['berth 1: Aurora\nberth 2: free\nberth 3: free', []]);
  show('allowed', `office.berths, by a rule: ${free.text}`);

  person.answers = [
    { allow: true },
    { allow: true, arguments: { text: '07:30 A line that Ada changed' } },
    { allow: false },
  ];
  const written = await session.call('logbook.write', { text: '07:00 The tour begins' });
  assert.equal(written.text, 'The logbook has 2 lines');
  show('approved', `logbook.write: ${written.text}`);

  await session.call('logbook.write', { text: '07:30 A line' });
  const { text } = await session.read('logbook', 'logbook://today');
  assert.equal(text, '06:00 The harbour opens\n07:00 The tour begins\n07:30 A line that Ada changed');
  show('edited', `logbook://today: ${text}`);

  await assert.rejects(session.call('office.evict', { ship: 'Aurora' }), { code: 'MCP_DENIED' });
  assert.deepEqual(person.asked, ['tool write', 'tool write', 'tool evict']);
  await assert.rejects(session.call('office.evict', { ship: 'Royal Oak' }), { code: 'MCP_DENIED' });
  assert.equal(person.asked.length, 3);
  assert.equal((await session.call('office.berths')).text, free.text);
  show('denied', 'office.evict, once by a person and once by a rule; the Aurora is still there');

  const [decided, done] = await host.explain(written.act);
  assert.equal(decided?.decision.verdict, 'ask');
  assert.deepEqual(decided.consent, { allow: true, edited: false });
  assert.equal(done?.phase, 'done');
  show('explain', `logbook.write: ${decided.decision.why}, Ada said yes, ${done.outcome}`);
}

/** Asking the user is as old as elicitation; before it, the tool says why it cannot. */
async function question({ session, person }: Stop): Promise<void> {
  person.answers = [{ allow: true }];
  const booked = await session.call('office.book', { ship: 'Borea' });
  if (person.forms.length > 0) {
    assert.deepEqual(person.forms, ['How long does the Borea stay?']);
    assert.equal(booked.text, 'Berth 2 is booked for the Borea: 2 nights, with power');
    show('question', `"${person.forms[0]}" ${booked.text}`);
  } else {
    assert.ok(booked.isError);
    assert.match(booked.text, /does not support/);
    show('question', `this revision has no way to ask: "${booked.text}"`);
  }
}

/** Progress, log lines, and calling it off. */
async function longWork({ host, session, person }: Stop): Promise<void> {
  person.answers = [{ allow: true, remember: { for: 'any arguments', until: 'session' } }];
  const heard: string[] = [];
  const onProgress = ({ progress, total }: { progress: number; total?: number | undefined }): void =>
    void heard.push(`${progress}/${total}`);
  const done = await session.call('crane.unload', { containers: 3, pauseMs: 5 }, { onProgress });
  assert.deepEqual([done.text, heard], ['Unloaded 3 containers', ['1/3', '2/3', '3/3']]);
  show('progress', `crane.unload: ${heard.join(' ')}, then "${done.text}"`);

  const log = host.servers.get('crane')?.log ?? [];
  assert.ok(log.includes('info: The crane takes on 3 containers'), log.join('\n'));
  show('log', `crane says "${log.at(-1)}"`);

  const called = new AbortController();
  const long = session.call(
    'crane.unload',
    { containers: 1000, pauseMs: 100 },
    { signal: called.signal, onProgress: () => called.abort() },
  );
  await assert.rejects(long, { code: 'MCP_CANCELLED' });
  assert.equal((await session.call('crane.status')).text, 'The crane is fine');
  show('cancelled', 'crane.unload, after the first of 1000 containers; no further question, and the crane is fine');
  assert.equal((await host.approvals.list()).length, 1);
}

/** A model at work with the tools, and a server that asks the model. */
async function model({ session, person }: Stop): Promise<void> {
  const happened: string[] = [];
  for await (const event of session.run('Write into the logbook: the tour ends')) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'tool-start' || event.type === 'denied') happened.push(`${event.type} ${event.name}`);
    if (event.type === 'done') happened.push(event.text);
  }
  const left = 'That did not work, so I leave it at that.';
  assert.deepEqual(happened, ['tool-start logbook.write', 'denied logbook.write', left]);
  show('model', `wants logbook.write, is denied, and says "${left}"`);

  person.answers = [{ allow: true }, { allow: true }];
  const greeted = await session.call('office.greet', { ship: 'Aurora' });
  assert.equal(greeted.text, 'Ahoy, Aurora!');
  show('sampling', `office.greet asks our model, after consent to question and answer: "${greeted.text}"`);
}
