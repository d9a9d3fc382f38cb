/** What a view asks for in `_meta.ui` of its resource, and the headers that grant it. Text of a server never reaches a header: sources are written from what was parsed. */
import { badDefinition } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { isLoopbackHost } from '../../model/loopback.ts';

/** What a view may use of the browser beyond a page, in the words of the extension. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';

/** What a view asks for. Every origin is one that can stand in a policy. */
export interface ViewSettings {
  /** For `fetch`, XHR and WebSocket. */
  readonly connect: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly load: readonly string[];
  /** For frames inside the view. */
  readonly frames: readonly string[];
  /** For `<base>`, beside the view's own. */
  readonly base: readonly string[];
  readonly permissions: readonly ViewPermission[];
  /** A dedicated origin, in the notation of one host. */
  readonly domain?: string;
  readonly border?: boolean;
}

/** How many origins of a kind are read, so that a header has an end. */
export const MAX_VIEW_DOMAINS = 32;
const MAX_PERMISSIONS = 32;

/** The members of `_meta.ui.csp`, by where their origins go. */
const cspMembers = {
  connect: 'connectDomains',
  load: 'resourceDomains',
  frames: 'frameDomains',
  base: 'baseUriDomains',
} as const;

const features: ReadonlyMap<string, string> = new Map<ViewPermission, string>([
  ['camera', 'camera'],
  ['microphone', 'microphone'],
  ['geolocation', 'geolocation'],
  ['clipboardWrite', 'clipboard-write'],
]);
/** What no view gets, whatever its frame allows. */
const closedFeatures =
  'bluetooth clipboard-read display-capture hid midi payment publickey-credentials-get serial storage-access usb'.split(
    ' ',
  );

/**
 * Reads the value of `_meta.ui`, from the content item or the listed resource. What cannot be granted is left out and
 * named by its place in `dropped`, such as `csp.connectDomains[0]`: its text is echoed nowhere.
 */
export function readViewSettings(ui: unknown): {
  readonly settings: ViewSettings;
  readonly dropped: readonly string[];
} {
  const dropped: string[] = [];
  const asked = memberObject(ui, '_meta.ui', dropped);
  const csp = memberObject(asked['csp'], 'csp', dropped);
  const origins = (member: string): readonly string[] => {
    const listed = csp[member] ?? [];
    const all: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
    if (all.length > MAX_VIEW_DOMAINS) dropped.push(`csp.${member}[${MAX_VIEW_DOMAINS}] and later`);
    const sources = all.slice(0, MAX_VIEW_DOMAINS).flatMap((one, index) => {
      const source = sourceOf(one);
      if (source === undefined) dropped.push(`csp.${member}[${index}]`);
      return source ?? [];
    });
    return [...new Set(sources)];
  };
  const domain = asked['domain'];
  const border = asked['prefersBorder'];
  const hasDomain = typeof domain === 'string' && /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i.test(domain);
  if (domain !== undefined && !hasDomain) dropped.push('domain');
  if (border !== undefined && typeof border !== 'boolean') dropped.push('prefersBorder');
  const settings: ViewSettings = {
    connect: origins(cspMembers.connect),
    load: origins(cspMembers.load),
    frames: origins(cspMembers.frames),
    base: origins(cspMembers.base),
    permissions: permissionsIn(memberObject(asked['permissions'], 'permissions', dropped), dropped),
    ...(hasDomain ? { domain } : {}),
    ...(typeof border === 'boolean' ? { border } : {}),
  };
  return { settings, dropped };
}

function memberObject(value: unknown, name: string, dropped: string[]): JsonObject {
  if (isObject(value)) return value;
  if (value !== undefined) dropped.push(name);
  return {};
}

function permissionsIn(asked: JsonObject, dropped: string[]): readonly ViewPermission[] {
  return Object.keys(asked)
    .slice(0, MAX_PERMISSIONS)
    .flatMap((name) => {
      if (features.has(name) && isObject(asked[name])) return name as ViewPermission; // as just seen
      dropped.push(features.has(name) ? `permissions.${name}` : 'permissions: an unknown one');
      return [];
    });
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const SOURCE = new RegExp(`^(https|wss|http|ws)://(\\*\\.)?(${LABEL}(?:\\.${LABEL})*)(?::([1-9]\\d{0,4}))?$`, 'i');

/** An origin as a policy spells it: scheme, host, perhaps one leading `*.`, perhaps a port. Undefined for anything else. */
export function sourceOf(origin: unknown): string | undefined {
  const match = typeof origin === 'string' && origin.length <= 300 ? SOURCE.exec(origin) : null;
  if (match === null) return undefined;
  const [scheme = '', wildcard = '', host = '', port] = match.slice(1).map((part) => part?.toLowerCase());
  if (host.length > 253 || Number(port ?? 1) > 65_535) return undefined;
  // `*.com` would stand for most of the web.
  if (wildcard !== '' && !host.includes('.')) return undefined;
  const isEncrypted = scheme === 'https' || scheme === 'wss';
  if (!isEncrypted && (wildcard !== '' || !isLoopbackHost(host))) return undefined;
  return `${scheme}://${wildcard}${host}${port === undefined ? '' : `:${port}`}`;
}

/** The value of `_meta.ui` that says the same, and of `hostCapabilities.sandbox` but for `domain` and `prefersBorder`. */
export function writeViewSettings(settings: Partial<ViewSettings>): JsonObject {
  const { permissions = [], domain, border } = settings;
  const csp = Object.entries(cspMembers).flatMap(([kind, member]) => {
    const origins = settings[kind as keyof typeof cspMembers] ?? [];
    return origins.length === 0 ? [] : [[member, [...origins]] as const];
  });
  return {
    ...(csp.length === 0 ? {} : { csp: Object.fromEntries(csp) }),
    ...(permissions.length === 0 ? {} : { permissions: Object.fromEntries(permissions.map((name) => [name, {}])) }),
    ...(domain === undefined ? {} : { domain }),
    ...(border === undefined ? {} : { prefersBorder: border }),
  };
}

/**
 * The `Content-Security-Policy` of a view. `ancestors` are the origins of every page around it: the proxy and the host.
 * A relaxed policy has `eval` and `blob:`, for views that cannot do without; a host decides that, never a server.
 */
export function viewPolicy(settings: ViewSettings, ancestors: readonly string[], relaxed = false): string {
  const odd = ancestors.find((origin) => !/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:-]+$/i.test(origin));
  if (odd !== undefined) throw badDefinition('A view', 'a page around it has no origin such as https://host.example');
  const some = (origins: readonly string[]): readonly string[] => (origins.length === 0 ? ["'none'"] : origins);
  const { connect, load, frames, base } = settings;
  const loose = (...sources: readonly string[]): readonly string[] => (relaxed ? sources : []);
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", "'unsafe-inline'", ...loose("'unsafe-eval'", 'blob:'), ...load],
    'style-src': ["'self'", "'unsafe-inline'", ...load],
    'img-src': ["'self'", 'data:', ...loose('blob:'), ...load],
    'media-src': ["'self'", 'data:', ...loose('blob:'), ...load],
    'font-src': some([...loose('data:'), ...load]),
    'connect-src': some(connect),
    'worker-src': some(loose('blob:')),
    'frame-src': some(frames),
    'object-src': ["'none'"],
    // These do not fall back to default-src: left out, they allow anything.
    'base-uri': ["'self'", ...base],
    'form-action': ["'none'"],
    'frame-ancestors': some(ancestors),
    webrtc: ["'block'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** What was granted, as the `allow` attribute of both frames and the `Permissions-Policy` of the view. */
export function viewPermissions(settings: ViewSettings): { readonly allow: string; readonly header: string } {
  const granted = new Set<string>(settings.permissions.flatMap((name) => features.get(name) ?? []));
  const header = [...features.values(), ...closedFeatures].map(
    (name) => `${name}=(${granted.has(name) ? 'self' : ''})`,
  );
  return { allow: [...granted].join('; '), header: header.join(', ') };
}
