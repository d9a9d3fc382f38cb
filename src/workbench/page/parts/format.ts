/** Formats durations, sizes, times and sentences for display. */

export function duration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1) return '<1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000)
    return `${Math.floor(ms / 60_000)} min ${String(Math.floor((ms % 60_000) / 1_000)).padStart(2, '0')} s`;
  return `${Math.floor(ms / 3_600_000)} h ${String(Math.floor((ms % 3_600_000) / 60_000)).padStart(2, '0')} min`;
}

export function byteSize(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** For example `10:41:07`. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** For example `10:41:07.412`. */
export function clockTimeMs(at: number): string {
  return `${clockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`;
}

/** Time since the start of a recording, such as `01:15.140`. */
export function elapsed(ms: number): string {
  return `${two(Math.floor(ms / 60_000))}:${two(Math.floor((ms % 60_000) / 1_000))}.${String(Math.floor(ms % 1_000)).padStart(3, '0')}`;
}

export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** Adds a full stop, and a capital letter unless the text starts with a name such as `tools/call`. */
export function sentence(text: string): string {
  return `${/^\w+\//.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…:]$/.test(text) ? '' : '.'}`;
}

/** A value as text or compact JSON, cut to `maxLength` characters. */
export function brief(value: unknown, maxLength = 120): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
