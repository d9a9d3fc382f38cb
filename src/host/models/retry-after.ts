/** How long somebody asks us to wait. */

/** Milliseconds; undefined where nothing intelligible was said. Seconds, or a date. */
export function pauseAsked(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(header)) return Math.ceil(Number(header) * 1_000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
