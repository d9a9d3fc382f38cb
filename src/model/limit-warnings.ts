/** Caps the warnings about one list: its sender chooses how many items are wrong, and can send millions. */

const MAX_WARNINGS = 10;

/** Passes on the first warnings about the list `of`, then one that says that the others are left out. */
export function limitWarnings(warn: (warning: string) => void, of: string): (warning: string) => void {
  let count = 0;
  return (warning) => {
    count++;
    if (count <= MAX_WARNINGS) warn(warning);
    else if (count === MAX_WARNINGS + 1) warn(`More warnings about ${of} are left out`);
  };
}
