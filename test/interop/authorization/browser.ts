/** A headless browser: follows redirects, keeps cookies, and stops at a redirect URI of a native program. */
export class Browser {
  readonly #cookies: Map<string, string> = new Map();
  /** All URLs it was redirected to. */
  readonly visited: string[] = [];

  /** Follows redirects up to the first URL of another origin, which it does not open. */
  async until(from: string, redirectUri: string): Promise<URL> {
    let url = new URL(from);
    for (let hops = 0; hops < 10; hops++) {
      this.visited.push(url.href);
      const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
      this.#keep(response.headers.getSetCookie());
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url.href} leads nowhere: ${response.status} ${await response.text()}`);
      url = new URL(location, url);
      if (url.href.startsWith(redirectUri)) return url;
    }
    throw new Error('The way back was not found within ten hops');
  }

  /** Opens an authorization request, and follows redirects to the listening redirect URI. */
  readonly open = async (from: string): Promise<void> => {
    const back = await this.until(from, new URL(from).searchParams.get('redirect_uri') ?? '');
    const page = await fetch(back);
    if (!page.ok) throw new Error(`the program that was waited for says ${page.status}`);
  };

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';');
      const [name = '', ...value] = pair.split('=');
      if (value.join('=') === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value.join('='));
    }
  }
}
