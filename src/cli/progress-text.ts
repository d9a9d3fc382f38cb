/** Text of a progress line: a bar, a counter, or the elapsed time. */
import { printable } from '../model/printable.ts';
import { widthOf } from '../terminal/wrap-line.ts';

export interface Report {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const WIDTH = 24;
const NARROW = 60;
const NARROW_WIDTH = 10;
/** Minimum width that a longer message keeps. */
const MIN_MESSAGE = 12;
/** A longer message is cut before it is escaped: no terminal is that wide. */
const MAX_MESSAGE = 1_000;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;

/** `rate` is in units per second, if it is known. */
export function progressText(label: string, report: Report, columns: number, rate: number | undefined): string {
  const { progress, total, message } = report;
  const speed = rate === undefined || !(rate > 0) || !Number.isFinite(rate) ? undefined : rate;
  const said = message === undefined ? '' : printable(message.slice(0, MAX_MESSAGE));
  const perSecond = speed === undefined ? '' : `${rounded(speed)}/s`;
  if (total === undefined || !(total > 0)) return fitParts([label, rounded(progress), perSecond, said], columns, [2]);
  const share = Math.min(1, Math.max(0, progress / total));
  const width = columns < NARROW ? NARROW_WIDTH : WIDTH;
  const filled = Math.round(share * width);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  const left = speed === undefined || share === 1 ? '' : `${durationText((total - progress) / speed)} left`;
  return fitParts([label, bar, `${Math.round(share * 100)} %`, left, perSecond, said], columns, [4, 3, 1]);
}

/** Drops parts until the line fits, in the order of `dispensable`. The message of the server is never dropped. */
function fitParts(parts: readonly string[], columns: number, dispensable: readonly number[]): string {
  const line = parts.filter((part) => part !== '').join(' ');
  const [least, ...rest] = dispensable;
  const cuttable = Math.max(0, widthOf(parts.at(-1) ?? '') - MIN_MESSAGE);
  return least === undefined || widthOf(line) - cuttable <= columns
    ? line
    : fitParts(parts.with(least, ''), columns, rest);
}

/** For work that does not report progress. */
export const spinnerText = (label: string, ms: number): string =>
  `${FRAMES.charAt(Math.floor(ms / FRAME_MS) % FRAMES.length)} ${label} ${durationText(ms / 1000)}`;

/** One decimal place below 100. */
function rounded(value: number): string {
  const digits = Math.abs(value) < 100 && !Number.isInteger(value) ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
