import type Koa from 'koa';
import { sha256 } from '../domain/projects/crypto.ts';
import { methodNotAllowed } from './unrouted.ts';

/**
 * Puts the mail that it is told in its own place, and tells how high that is. What is put so runs no script, and its links, which lead nowhere
 * here, are no stops of the key Tab.
 */
const SCRIPT = `addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return;
  const mail = new DOMParser().parseFromString(data.html, 'text/html');
  for (const link of mail.querySelectorAll('a[href], area[href]')) {
    link.setAttribute('title', link.getAttribute('href'));
    link.removeAttribute('href');
  }
  document.replaceChild(document.importNode(mail.documentElement, true), document.documentElement);
  const tell = () => parent.postMessage({ mailHeight: document.documentElement.scrollHeight }, '*');
  new ResizeObserver(tell).observe(document.documentElement);
  tell();
});
parent.postMessage({ mailFrame: 'ready' }, '*');
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Mail</title>
<script>${SCRIPT}</script>
</head>
<body></body>
</html>
`;

/** A mail brings its own styles, which the console's policy does not allow. Sandboxed: it has no origin, so no key, and its links lead nowhere. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'sha256-${sha256(SCRIPT).toString('base64')}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
};

/** GET /console/mail-frame: the frame in which the console shows mails. */
export function consoleMailFrame(): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/console/mail-frame') return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    ctx.set(HEADERS);
    ctx.body = PAGE;
  };
}
