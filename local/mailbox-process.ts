import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { isFromOwnOrigin } from './own-origin.ts';

/** Run as a process, because the mailbox takes over signals and cannot be started twice in one: folder, SMTP port, page port. */
const [mailDirectory, smtp, web] = process.argv.slice(2);

interface Mailbox {
  listen(): Promise<void>;
}

type Handler = (request: IncomingMessage, ...rest: readonly unknown[]) => void;

// The package has no types.
const require = createRequire(import.meta.url);
const createMailbox = require('maildev') as (options: object) => Mailbox;
const mailbox = createMailbox({ smtp: Number(smtp), web: Number(web), ip: '127.0.0.1', mailDirectory, silent: true });
// Before the first request is read: the page's server takes connections only when this turn is over.
guard((require('maildev/lib/web') as { server: Server }).server);
await mailbox.listen();

/** Mail holds links that sign in and reset passwords: only the mailbox's own page and programs on this machine may read it. */
function guard(server: Server): void {
  const before = (event: 'request' | 'upgrade', admit: (request: IncomingMessage, target: unknown) => boolean): void => {
    const handlers = server.listeners(event) as Handler[];
    server.removeAllListeners(event);
    server.on(event, (request: IncomingMessage, ...rest: unknown[]) => {
      if (admit(request, rest[0])) for (const handle of handlers) handle.call(server, request, ...rest);
    });
  };
  before('request', ({ headers, url = '' }, target) => {
    const response = target as ServerResponse;
    if (isFromOwnOrigin(headers)) {
      keepToItself(response, /^\/email\//i.test(url));
      return true;
    }
    response.writeHead(403, { 'content-type': 'text/plain' }).end('the mailbox answers its own page only\n');
    return false;
  });
  before('upgrade', ({ headers }, socket) => {
    if (isFromOwnOrigin(headers)) return true;
    (socket as Socket).destroy();
    return false;
  });
}

/** No other site's page may show this one within it, and have a person click there unseen. */
const PAGE_POLICY = "frame-ancestors 'self'";
/**
 * What a mail brought is shown without its scripts, which could read every other mail, and without forms; pictures, styles and links work. The
 * page that shows it measures the frame and makes its links open in tabs, hence the origin, which is of no use to what runs no script.
 */
const MAIL_POLICY = [
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src * data:',
  'media-src *',
  'font-src * data:',
  "style-src * 'unsafe-inline'",
  PAGE_POLICY,
].join('; ');

/** The package allows every origin to read each answer, and lets mails run their scripts. */
function keepToItself(response: ServerResponse, isOfMail: boolean): void {
  const setHeader = response.setHeader.bind(response);
  setHeader('Content-Security-Policy', isOfMail ? MAIL_POLICY : PAGE_POLICY);
  setHeader('X-Content-Type-Options', 'nosniff');
  setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader = (name, value) => {
    if (/^access-control-/i.test(name)) return response;
    // A browser's own viewer, which a sandbox keeps from starting, runs nothing of it in this origin.
    if (isOfMail && name.toLowerCase() === 'content-type' && value === 'application/pdf') setHeader('Content-Security-Policy', PAGE_POLICY);
    return setHeader(name, value);
  };
}
