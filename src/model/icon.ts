/** A picture for a user interface. Whoever shows one treats it as hostile: https or data only, same origin, checked bytes. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** Such as `48x48` or `any`. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}
