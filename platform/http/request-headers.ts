import { validateHeaderName, validateHeaderValue } from 'node:http';

/** What the connection decides by itself; Host would also lead elsewhere behind a name that was verified. */
const OF_THE_CONNECTION = new Set(
  'host content-length transfer-encoding connection keep-alive proxy-authorization proxy-connection te trailer upgrade expect'.split(' '),
);

/** What is sent of a caller's headers, names in lower case. undefined: one of them cannot be sent. */
export function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const sent: Record<string, string> = { 'user-agent': 'Everpost' };
  try {
    for (const [name, value] of Object.entries(headers)) {
      const lowered = name.toLowerCase();
      if (OF_THE_CONNECTION.has(lowered)) continue;
      validateHeaderName(lowered);
      validateHeaderValue(lowered, value);
      sent[lowered] = value;
    }
  } catch {
    return undefined;
  }
  return sent;
}
