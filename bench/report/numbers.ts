/** Formats figures. */
import type { Unit } from '../scenario.ts';
import type { Spread } from '../stats.ts';

const digits = (value: number): string => {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};

export const ratio = (spread: Spread | undefined): string => {
  if (spread === undefined) return '';
  const { median, min, max } = spread;
  const between = min === max ? '' : ` (${digits(min)}–${digits(max)})`;
  return `**${digits(median)} ×**${between}`;
};

export const range = ({ min, max }: Spread): string => (min === max ? times(min) : `${digits(min)}–${digits(max)} ×`);

export const times = (value: number): string => `${digits(value)} ×`;

const short: Readonly<Record<Unit, string>> = {
  'CPU µs': 'µs',
  'CPU ms': 'ms',
  bytes: 'B',
  kB: 'kB',
  MB: 'MB',
  packages: 'packages',
  'function calls': 'calls',
};

export function amount(value: number, unit: Unit): string {
  if (unit === 'CPU µs' && value >= 10_000) return `${digits(value / 1_000)} ms`;
  if (unit === 'kB' && value >= 10_000) return `${digits(value / 1_000)} MB`;
  return `${digits(value)} ${short[unit]}`;
}
