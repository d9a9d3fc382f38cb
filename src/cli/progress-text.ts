/** How far work has come, on one line: a bar, a counter, or the time that has passed. */
import { printable } from '../model/printable.ts';

export interface Report {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface ProgressLook {
  /** Units per second; undefined while it is not known. */
  readonly rate: number | undefined;
  readonly isNarrow: boolean;
}

const WIDTH = 24;
const NARROW_WIDTH = 10;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;

export function progressText(label: string, report: Report, { rate, isNarrow }: ProgressLook): string {
  const { progress, total, message } = report;
  const speed = rate === undefined || !(rate > 0) || !Number.isFinite(rate) ? undefined : rate;
  const said = message === undefined ? [] : [printable(message)];
  if (total === undefined || !(total > 0))
    return [label, rounded(progress), ...(speed === undefined ? [] : [`${rounded(speed)}/s`]), ...said].join(' ');
  const share = Math.min(1, Math.max(0, progress / total));
  const width = isNarrow ? NARROW_WIDTH : WIDTH;
  const filled = Math.round(share * width);
  const left = speed === undefined || share === 1 ? [] : [`${durationText((total - progress) / speed)} left`];
  return [
    label,
    '█'.repeat(filled) + '░'.repeat(width - filled),
    `${Math.round(share * 100)} %`,
    ...left,
    ...(speed === undefined ? [] : [`${rounded(speed)}/s`]),
    ...said,
  ].join(' ');
}

/** For work that reports nothing. */
export const spinnerText = (label: string, ms: number): string =>
  `${FRAMES.charAt(Math.floor(ms / FRAME_MS) % FRAMES.length)} ${label} ${durationText(ms / 1000)}`;

/** One digit after the point where it says something. */
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
