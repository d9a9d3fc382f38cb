import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { HeldClock } from '../../test/support/held-clock.ts';
import { Printer } from './printer.ts';
import type { ProgressBar } from './progress-bar.ts';
import type { Shell } from './shell.ts';

class Screen extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = '';
  constructor(isTTY: boolean, columns: number) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
  /** The current text of the line. */
  get line(): string {
    return (this.text.split('\n').at(-1) ?? '').split('\r\u001b[2K').at(-1) ?? '';
  }
}

interface Drawing {
  readonly bar: ProgressBar;
  readonly screen: Screen;
  readonly clock: HeldClock;
  readonly print: Printer;
}

function drawing({ isTTY = true, columns = 80 } = {}): Drawing {
  const [screen, clock] = [new Screen(isTTY, columns), new HeldClock()];
  const shell = { stderr: screen, stdout: screen, clock, env: {} } as unknown as Shell; // the members that are read
  const print = new Printer(shell, { json: false });
  return { bar: print.progress('count'), screen, clock, print };
}

test('a tool that reports a total gets a bar, then also a rate and the time left', async () => {
  const { bar, screen, clock } = drawing();
  bar.begin();
  bar.update({ progress: 10, total: 100, message: 'shelf 1' });
  expect(screen.line).toBe(`count ${'█'.repeat(2)}${'░'.repeat(22)} 10 % shelf 1`);
  await clock.pass(1950);
  bar.update({ progress: 50, total: 100, message: 'shelf 2' });
  expect(screen.line).toBe(`count ${'█'.repeat(12)}${'░'.repeat(12)} 50 % 2 s left 20.5/s shelf 2`);
  bar.update({ progress: 100, total: 100 });
  await clock.pass(100);
  expect(screen.line).toMatch(/ 100 % 45\/s$/);
});

test('a tool that reports no total gets a counter with a rate', async () => {
  const { bar, screen, clock } = drawing();
  bar.update({ progress: 1 });
  expect(screen.line).toBe('count 1');
  await clock.pass(4000);
  bar.update({ progress: 5001, message: 'rows' });
  expect(screen.line).toBe('count 5,001 1,250/s rows');
});

test('a tool that reports nothing gets a spinner after a second, with the time that has passed', async () => {
  const { bar, screen, clock } = drawing();
  bar.begin();
  await clock.pass(900);
  expect(screen.text).toBe('');
  await clock.pass(200);
  expect(screen.line).toMatch(/^[⠋-⠿] count 1 s$/);
  await clock.pass(64_000);
  expect(screen.line).toMatch(/^[⠋-⠿] count 1 min 5 s$/);
  bar.end();
  expect(screen.line).toBe('');
  await clock.pass(1000);
  expect(screen.line).toBe('');
});

test('nothing is drawn while the user is asked, and the line is gone before', async () => {
  const { bar, screen, clock } = drawing();
  bar.begin();
  await clock.pass(1500);
  let answer: (said: string) => void = () => undefined;
  const asked = bar.pauseDuring(() => new Promise<string>((resolve) => (answer = resolve)));
  expect(screen.line).toBe('');
  screen.write('Delete it? ');
  bar.update({ progress: 1, total: 2 });
  await clock.pass(1500);
  expect(screen.line).toBe('Delete it? ');
  answer('y');
  expect(await asked).toBe('y');
  await clock.pass(200);
  expect(screen.line).toMatch(/count .* 50 %$/);
});

test('output during a progress bar gets its own lines', async () => {
  const { bar, screen, clock, print } = drawing();
  bar.begin();
  await clock.pass(1500);
  print.note('warning: slow');
  print.line('result');
  expect(screen.text.split('\r\u001b[2K').at(-1)).toBe('warning: slow\nresult\n');
});

test('nothing is drawn where there is no terminal', async () => {
  const { bar, screen, clock } = drawing({ isTTY: false });
  bar.begin();
  bar.update({ progress: 1, total: 2 });
  await clock.pass(5000);
  bar.end();
  expect([screen.text, clock.waits]).toEqual(['', []]);
});

test('a line that is too long for 40 columns loses its rate, then the time left, and not what the server says', async () => {
  const { bar, screen, clock } = drawing({ columns: 40 });
  bar.update({ progress: 10, total: 100, message: 'shelf 1' });
  await clock.pass(1950);
  bar.update({ progress: 50, total: 100, message: 'shelf 2' });
  expect(screen.line).toBe(`count ${'█'.repeat(5)}${'░'.repeat(5)} 50 % 2 s left shelf 2`);
  await clock.pass(1000);
  bar.update({ progress: 60, total: 100, message: 'the third shelf from the left' });
  expect(screen.line).toBe(`count ${'█'.repeat(6)}${'░'.repeat(4)} 60 % the third shelf …`);
});

test('the line fits 40 columns, whatever the server says', () => {
  const { bar, screen } = drawing({ columns: 40 });
  bar.update({ progress: 1, total: 2, message: `${'你好'.repeat(30)}\u001b[2J` });
  expect(screen.line).toMatch(/^count █{5}░{5} 50 % 你好/);
  expect([...screen.line].length).toBeLessThan(40);
  expect(screen.line).not.toContain('\u001b');
});

test('a progress bar truncates a huge message to the width of the terminal', () => {
  const { bar, screen } = drawing({ columns: 40 });
  bar.update({ progress: 1, total: 2, message: 'a'.repeat(5_000_000) });
  expect(screen.line).toMatch(/^count █+░+ 50 % a+…$/);
  expect(screen.line).toHaveLength(39);
});

test('two bars share one line, which is erased before other output, whichever of them was drawn last', () => {
  const { bar, screen, print } = drawing();
  const other = print.progress('other');
  bar.update({ progress: 1 });
  other.update({ progress: 2 });
  print.note('one');
  bar.update({ progress: 3 });
  print.note('two');
  expect(screen.text.split('\n').map((line) => line.split('\r\u001b[2K').at(-1))).toEqual(['one', 'two', '']);
});
