/** Random sequences of events are compared with a model: the same requests end in the same way. */
import { expect, test } from 'vitest';
import { accept, CallerRequest, UpstreamSide, WaitingScene } from '../../../test/support/waiting-upstream.ts';

const [GATHER, WAIT, GRACE, KEEP] = [15, 300_000, 2_000, 60_000];
const events = [
  'ask',
  'ask',
  'retry',
  'retry',
  'half',
  'again',
  'other',
  'stale',
  'hangUp',
  'lose',
  'finish',
  'fail',
  'gather',
  'gather',
  'minute',
  'expire',
] as const;
type Event = (typeof events)[number];

/** The rules as plain data. Time advances only between events. */
class Model {
  now = 0;
  round = 0;
  keys = 0;
  open: { key: string; shown: boolean }[] = [];
  waiters: number[] = [];
  ended: Map<number, string> = new Map();
  answered: { round: number; answers: string; result?: string } | undefined;
  outcome: string | undefined;
  over: 'done' | 'expired' | 'cancelled' | undefined;
  waiting = false;
  aborted = false;
  answers = 0;
  due: Partial<Record<'gather' | 'expire' | 'grace' | 'forget', number>> = {};

  ask(): void {
    if (this.outcome !== undefined || this.aborted) return;
    if (this.over !== undefined) this.answers++;
    else {
      this.waiting = true;
      this.open.push({ key: `q${++this.keys}`, shown: false });
      if (this.waiters.length > 0) this.due.gather ??= this.now + GATHER;
      else this.due.expire ??= this.now + WAIT;
    }
  }

  retry(caller: number, round: number, answers: readonly string[], text: string): void {
    const why = this.#rejection(round, text);
    if (why !== undefined) this.ended.set(caller, `error: ${why}`);
    else if (this.answered?.round === round && this.answered.result !== undefined)
      this.ended.set(caller, this.answered.result);
    else {
      if (this.answered?.round !== round) this.#spend(round, answers, text);
      delete this.due.expire;
      this.waiters.push(caller);
      if (this.outcome !== undefined) this.#deliver(this.outcome, true);
      else if (this.open.length > 0) this.due.gather ??= this.now + GATHER;
    }
  }

  #rejection(round: number, text: string): string | undefined {
    const forgotten = this.due.forget !== undefined && this.due.forget <= this.now;
    const gone = !this.waiting || forgotten || this.over === 'expired' || this.over === 'cancelled';
    if (gone && this.over === 'expired') return 'requestState cannot be continued: the time for an answer has expired';
    if (gone) return 'requestState cannot be continued: the call has ended';
    const isSame = this.answered?.round === round && this.answered.answers === text;
    return isSame || (round === this.round && this.answered?.round !== round)
      ? undefined
      : 'requestState was used before';
  }

  #spend(round: number, answers: readonly string[], text: string): void {
    this.answered = { round, answers: text };
    if (this.outcome !== undefined) return;
    const before = this.open.length;
    this.open = this.open.filter(({ key, shown }) => !shown || !answers.includes(key));
    this.answers += before - this.open.length;
  }

  gone(hungUp: boolean): void {
    if (this.waiters.shift() === undefined || this.waiters.length > 0) return;
    if (hungUp || !this.waiting) {
      this.over = 'cancelled';
      this.#upstreamEnds(true);
    } else if (this.open.length > 0) this.due.expire ??= this.now + WAIT;
  }

  settle(text: string): void {
    if (this.outcome !== undefined || this.aborted) return;
    this.outcome = text;
    const wasOver = this.over !== undefined;
    this.#upstreamEnds(false);
    if (wasOver) return;
    if (this.waiters.length > 0) this.#deliver(text, true);
    else if (this.waiting) this.due.expire ??= this.now + KEEP;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const [next] = Object.entries(this.due)
        .filter(([name, at]) => name !== 'forget' && at <= end)
        .toSorted(([, a], [, b]) => a - b);
      if (next === undefined) break;
      this.now = next[1];
      delete this.due[next[0] as 'gather']; // a name of `due`
      if (next[0] === 'gather') this.#askCaller();
      else if (next[0] === 'expire') this.#expire();
      else this.#upstreamEnds(true);
    }
    this.now = end;
  }

  #askCaller(): void {
    if (this.open.length === 0) return;
    if (this.waiters.length === 0) {
      this.due.expire ??= this.now + WAIT;
      return;
    }
    this.round++;
    for (const one of this.open) one.shown = true;
    this.#deliver(`asks ${this.open.map(({ key }) => key).join(' ')}`, false);
    this.due.expire = this.now + WAIT;
  }

  #expire(): void {
    this.over = 'expired';
    this.answers += this.open.length;
    this.open = [];
    delete this.due.gather;
    if (this.outcome === undefined) this.due.grace = this.now + GRACE;
  }

  #upstreamEnds(aborted: boolean): void {
    this.aborted ||= aborted;
    this.answers += this.open.length;
    this.open = [];
    delete this.due.gather;
    delete this.due.grace;
    if (aborted) delete this.due.expire;
  }

  #deliver(text: string, isEnd: boolean): void {
    if (this.answered !== undefined) this.answered.result = text;
    for (const waiter of this.waiters) this.ended.set(waiter, text);
    this.waiters = [];
    if (!isEnd) return;
    this.over = 'done';
    delete this.due.expire;
    this.due.forget = this.now + KEEP;
  }
}

function numbersFrom(seed: number): (below: number) => number {
  let last = seed;
  return (below) => {
    last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((last / 2_147_483_648) * below);
  };
}

test('in 400 random sequences of 30 events every request ends as the model says', async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 400; seed++) {
    const random = numbersFrom(seed * 7_919);
    const scene = new WaitingScene();
    const [call, up, model] = [scene.create(), new UpstreamSide(), new Model()];
    const callers: CallerRequest[] = [new CallerRequest().for((attached) => call.begin(up.send, attached))];
    model.waiters.push(0);
    const trail: Event[] = [];
    const retry = (round: number, answers: Readonly<Record<string, unknown>>): void => {
      const caller = new CallerRequest().for((attached) => scene.calls.find(call.id).resume(round, answers, attached));
      callers.push(caller);
      model.retry(callers.length - 1, round, Object.keys(answers), JSON.stringify(answers));
    };
    const answersOf = (keys: readonly string[], name: string): Readonly<Record<string, unknown>> =>
      Object.fromEntries(keys.map((key) => [key, accept(name)]));
    for (let step = 0; step < 30; step++) {
      const event = events[random(events.length)] ?? 'ask';
      trail.push(event);
      const shown = model.open.filter((one) => one.shown).map(({ key }) => key);
      if (event === 'ask' && model.outcome === undefined && !model.aborted) {
        up.ask();
        model.ask();
      } else if ((event === 'retry' || event === 'half') && model.round > 0) {
        retry(model.round, answersOf(event === 'half' ? shown.slice(1) : shown, 'Ada'));
      } else if (event === 'again' && model.answered !== undefined)
        retry(model.answered.round, JSON.parse(model.answered.answers));
      else if (event === 'other' && model.answered !== undefined) retry(model.answered.round, answersOf(['q1'], 'Eve'));
      else if (event === 'stale' && model.round > 1) retry(model.round - 1, answersOf(shown, 'Bob'));
      else if (event === 'hangUp' || event === 'lose') {
        const [first] = model.waiters;
        if (first !== undefined) callers[first]?.[event]();
        const ended = model.waiters[0];
        model.gone(event === 'hangUp');
        if (ended !== undefined) model.ended.set(ended, 'error: The caller disconnected');
      } else if (event === 'finish' || event === 'fail') {
        if (event === 'finish') up.finish();
        else up.fail();
        model.settle(event === 'finish' ? 'done' : 'error: broken');
      }
      const ms = event === 'gather' ? GATHER : event === 'minute' ? KEEP : event === 'expire' ? WAIT + GRACE : 0;
      await scene.clock.advance(0);
      await scene.clock.advance(ms);
      model.advance(ms);
      await scene.clock.advance(0);
      const real = callers.map(({ ended }) => ended);
      const expected = callers.map((_, at) => model.ended.get(at));
      const where = `seed ${seed}: ${trail.join(', ')}`;
      expect([where, real, up.aborted, up.answers.length]).toEqual([where, expected, model.aborted, model.answers]);
      expect([where, scene.calls.size]).toEqual([where, model.waiting && model.over === undefined ? 1 : 0]);
      for (const one of real) seen.add(one?.replace(/\d+/g, '') ?? 'open');
    }
  }
  // The sequences reach every way in which a request can end.
  expect([...seen].filter((one) => !one.startsWith('asks')).toSorted()).toEqual([
    'done',
    'error: The caller disconnected',
    'error: broken',
    'error: requestState cannot be continued: the call has ended',
    'error: requestState cannot be continued: the time for an answer has expired',
    'error: requestState was used before',
    'open',
  ]);
});
