/** Messages without secrets: those that a server was given, those that stand under a telling name, those that look like some. */
import { isSecretName, MASK } from '../../host/audit-mask.ts';
import { Masks } from '../../host/servers/masks.ts';
import { isObject, type Message } from '../../jsonrpc/message.ts';
import { withoutSecrets } from '../servers/secrets.ts';

/** `Password: hunter2`, as people write it. Of fewer names than elsewhere: in prose, a code or a key is none. */
const spoken =
  /\b([\w-]*(?:pass(?:word|phrase|wd|code)|secret|token|api[-_]?key|cookie))(["']?\s{0,4}:\s{0,4}["']?)([^\s"',;]+)/gi;
/** `--token`: the next word is the secret. */
const flag = /^--?([\w-]+)$/;

export class Scrubber {
  readonly #masks: Masks;

  constructor(masks: Masks = new Masks()) {
    this.#masks = masks;
  }

  message<M extends Message>(message: M): M {
    return this.value(message) as M; // the same shape, with other texts
  }

  text(text: string): string {
    return withoutSecrets(this.#masks.mask(text)).replace(spoken, (whole, name: string, colon: string) =>
      isSecretName(name) ? `${name}${colon}${MASK}` : whole,
    );
  }

  value(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return value !== '' && isSecretName(name) ? MASK : this.text(value);
    // The code of an error is no secret.
    if (typeof value === 'number') return name !== 'code' && isSecretName(name) ? MASK : value;
    if (Array.isArray(value)) return value.map((one, at) => this.#item(one, name, value[at - 1]));
    if (!isObject(value)) return value;
    // Names are the other side's: no prototype, so that each of them is a name.
    const copy: Record<string, unknown> = Object.create(null);
    for (const [key, one] of Object.entries(value)) copy[this.text(key)] = this.value(one, key);
    return copy;
  }

  #item(item: unknown, name: string, before: unknown): unknown {
    const [, announced] = (typeof before === 'string' && flag.exec(before)) || [];
    const isAnnounced =
      announced !== undefined && isSecretName(announced) && typeof item === 'string' && !flag.test(item);
    return isAnnounced ? MASK : this.value(item, name);
  }
}
