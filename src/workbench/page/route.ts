/** Routing: the URL fragment holds the screen and its subject, so that reload, history and shared links work. */
import { signal } from '@preact/signals';
import { type ScreenName, workbenchScreens } from '../protocol-rows.ts';

export interface PageRoute {
  readonly screen: ScreenName;
  /** The subject of the screen, such as server and tool, or a message id. */
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

/** Encodes a name that a server chose. encodeURIComponent throws for a lone surrogate, so it is replaced. */
const encoded = (part: string | number): string => encodeURIComponent(String(part).replace(/\p{Cs}/gu, '\ufffd'));

export function linkTo(screen: ScreenName, ...of: readonly (string | number)[]): string {
  return `#/${[screen, ...of].map(encoded).join('/')}`;
}

export const route = signal<PageRoute>({ screen: 'tools', of: [] });

export function followRoute(): void {
  const updateRoute = (): void => {
    route.value = routeOf(location.hash);
  };
  addEventListener('hashchange', updateRoute);
  updateRoute();
}

export function goTo(screen: ScreenName, ...of: readonly (string | number)[]): void {
  location.hash = linkTo(screen, ...of);
}
