/** Which screen is shown, and of what: the fragment of the URL, so that reload, back and a link to a colleague work. */
import { signal } from '@preact/signals';
import { type ScreenName, workbenchScreens } from '../protocol-rows.ts';

export interface PageRoute {
  readonly screen: ScreenName;
  /** What the screen is about: a server, a tool, a message. */
  readonly of: readonly string[];
}

function routeOf(hash: string): PageRoute {
  const [screen = '', ...of] = hash.replace(/^#\/?/, '').split('/').map(decoded);
  const known = workbenchScreens.find((name) => name === screen);
  return known === undefined ? { screen: 'tools', of: [] } : { screen: known, of: of.filter((part) => part !== '') };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names are of servers: half a surrogate pair cannot be encoded, and would take the whole screen away. */
const encoded = (part: string | number): string => encodeURIComponent(String(part).replace(/\p{Cs}/gu, '\ufffd'));

export function linkTo(screen: ScreenName, ...of: readonly (string | number)[]): string {
  return `#/${[screen, ...of].map(encoded).join('/')}`;
}

export const route = signal<PageRoute>({ screen: 'tools', of: [] });

export function followRoute(): void {
  const take = (): void => {
    route.value = routeOf(location.hash);
  };
  addEventListener('hashchange', take);
  take();
}

export function goTo(screen: ScreenName, ...of: readonly (string | number)[]): void {
  location.hash = linkTo(screen, ...of);
}
