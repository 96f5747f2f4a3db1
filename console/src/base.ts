const here = import.meta.url;

/** Where the console lies, with a slash at its end: its files are in a folder below it. A proxy may have put a prefix before it. */
const consoleUrl = new URL('..', here);

/** The same for the router: a path without a slash at its end. */
export const consolePath = consoleUrl.pathname.replace(/\/$/, '');

/** The API as it is served to this page: by the session of the browser. */
export const apiUrl = new URL('api/v1', consoleUrl).href;

/** The installation, without a slash at its end. */
export const rootUrl = new URL('..', consoleUrl).href.replace(/\/$/, '');

/** The session of the browser. */
export const sessionUrl = new URL('session', consoleUrl).href;

/** All sessions of its key. */
export const sessionsUrl = new URL('sessions', consoleUrl).href;

/** The address of a page for a link from within another section, whose own links are relative to it. */
export function inConsole(path: string): string {
  return `~${consolePath}${path}`;
}
