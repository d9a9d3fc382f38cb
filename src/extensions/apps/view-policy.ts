/** Parses the access that a view requests in `_meta.ui`, and builds the headers that grant it. Headers contain only parsed and normalized sources (header injection). */
import { badDefinition } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { isLoopbackHost } from '../../model/loopback.ts';

/** A browser feature that a view can request, by its name in the MCP Apps extension. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite';

/** The access that a view requests. Every origin is a valid source of a `Content-Security-Policy`. */
export interface ViewSettings {
  /** Origins for `fetch`, XHR and WebSocket. */
  readonly connect: readonly string[];
  /** Origins of scripts, styles, images, fonts and media. */
  readonly load: readonly string[];
  /** Origins of frames inside the view. */
  readonly frames: readonly string[];
  /** Origins for `<base>`, in addition to the view's own. */
  readonly base: readonly string[];
  readonly permissions: readonly ViewPermission[];
  /** A dedicated origin, in a host-specific format. */
  readonly domain?: string;
  readonly border?: boolean;
}

/** Maximum number of origins of each kind, which limits the length of the headers. */
export const MAX_VIEW_DOMAINS = 32;
const MAX_PERMISSIONS = 32;

/** The members of `_meta.ui.csp`, by their name in `ViewSettings`. */
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
/** Features that are denied to every view. */
const deniedFeatures =
  'bluetooth clipboard-read display-capture hid midi payment publickey-credentials-get serial storage-access usb'.split(
    ' ',
  );

/**
 * Reads the value of `_meta.ui`, from the content item or the listed resource. Invalid members are skipped, and `dropped` has their
 * paths, such as `csp.connectDomains[0]`, without their untrusted text.
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
      dropped.push(features.has(name) ? `permissions.${name}` : 'permissions: an unknown name');
      return [];
    });
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const SOURCE = new RegExp(`^(https|wss|http|ws)://(\\*\\.)?(${LABEL}(?:\\.${LABEL})*)(?::([1-9]\\d{0,4}))?$`, 'i');

/** Normalizes an origin to a CSP source: scheme, host with an optional leading `*.`, and optional port. Undefined for anything else. */
export function sourceOf(origin: unknown): string | undefined {
  const match = typeof origin === 'string' && origin.length <= 300 ? SOURCE.exec(origin) : null;
  if (match === null) return undefined;
  const [scheme = '', wildcard = '', host = '', port] = match.slice(1).map((part) => part?.toLowerCase());
  if (host.length > 253 || Number(port ?? 1) > 65_535) return undefined;
  // `*.com` would match most of the web.
  if (wildcard !== '' && !host.includes('.')) return undefined;
  const isEncrypted = scheme === 'https' || scheme === 'wss';
  if (!isEncrypted && (wildcard !== '' || !isLoopbackHost(host))) return undefined;
  return `${scheme}://${wildcard}${host}${port === undefined ? '' : `:${port}`}`;
}

/** Serializes settings to the format of `_meta.ui`. `hostCapabilities.sandbox` has the same format without `domain` and `prefersBorder`. */
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
 * The `Content-Security-Policy` of a view. `ancestors` are the origins of the pages that frame it: the proxy and the host.
 * A relaxed policy allows `eval` and `blob:`, for views that need them. The host must decide this, never a server.
 */
export function viewPolicy(settings: ViewSettings, ancestors: readonly string[], relaxed = false): string {
  const invalid = ancestors.find((origin) => !/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:-]+$/i.test(origin));
  if (invalid !== undefined)
    throw badDefinition('A view', 'a page around it has no origin such as https://host.example');
  const orNone = (origins: readonly string[]): readonly string[] => (origins.length === 0 ? ["'none'"] : origins);
  const { connect, load, frames, base } = settings;
  const ifRelaxed = (...sources: readonly string[]): readonly string[] => (relaxed ? sources : []);
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", "'unsafe-inline'", ...ifRelaxed("'unsafe-eval'", 'blob:'), ...load],
    'style-src': ["'self'", "'unsafe-inline'", ...load],
    'img-src': ["'self'", 'data:', ...ifRelaxed('blob:'), ...load],
    'media-src': ["'self'", 'data:', ...ifRelaxed('blob:'), ...load],
    'font-src': orNone([...ifRelaxed('data:'), ...load]),
    'connect-src': orNone(connect),
    'worker-src': orNone(ifRelaxed('blob:')),
    'frame-src': orNone(frames),
    'object-src': ["'none'"],
    // These directives do not fall back to default-src: if omitted, they allow everything.
    'base-uri': ["'self'", ...base],
    'form-action': ["'none'"],
    'frame-ancestors': orNone(ancestors),
    webrtc: ["'block'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** The granted permissions, as the `allow` attribute of both frames and the `Permissions-Policy` header of the view. */
export function viewPermissions(settings: ViewSettings): { readonly allow: string; readonly header: string } {
  const granted = new Set<string>(settings.permissions.flatMap((name) => features.get(name) ?? []));
  const header = [...features.values(), ...deniedFeatures].map(
    (name) => `${name}=(${granted.has(name) ? 'self' : ''})`,
  );
  return { allow: [...granted].join('; '), header: header.join(', ') };
}
