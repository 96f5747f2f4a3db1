import type { Vault } from '../projects/crypto.ts';

/** What a tracked address stands for. */
export type Tracked =
  | { readonly kind: 'opened'; readonly sendId: string }
  | { readonly kind: 'clicked'; readonly sendId: string; readonly url: string };

const PURPOSE = 'tracking';
const PREFIX = '/t';
const PATH = /^\/t\/([oc])\/([\w-]{22})\.([\w-]{43})(?:\/([\w-]+))?$/;

/**
 * The path under PUBLIC_URL that counts an open, or a click on its way to the target. It is signed with what it stands for, so nobody but
 * us makes one: there is no open redirect, and none counts for another send.
 */
export function trackedPath(vault: Vault, tracked: Tracked): string {
  const paths = trackedPaths(vault, tracked.sendId);
  return tracked.kind === 'opened' ? paths.opened() : paths.clicked(tracked.url, encodedTarget(tracked.url));
}

/** The same for all that is counted of one send. */
export function trackedPaths(vault: Vault, sendId: string): { opened(): string; clicked(url: string, target: string): string } {
  const id = encodedId(sendId);
  return {
    opened: () => `${PREFIX}/o/${id}.${vault.sign(PURPOSE, signedText({ kind: 'opened', sendId }))}`,
    clicked: (url, target) => `${PREFIX}/c/${id}.${vault.sign(PURPOSE, signedText({ kind: 'clicked', sendId, url }))}/${target}`,
  };
}

function signedText(tracked: Tracked): string {
  return tracked.kind === 'opened' ? `o|${tracked.sendId}` : `c|${tracked.sendId}|${tracked.url}`;
}

function encodedId(sendId: string): string {
  return Buffer.from(sendId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The target of a click as the path names it. */
export function encodedTarget(url: string): string {
  return Buffer.from(url).toString('base64url');
}

/** undefined for everything that this installation did not sign. */
export function readTrackedPath(vault: Vault, path: string): Tracked | undefined {
  const [, letter, id, signature, target] = PATH.exec(path) ?? [];
  if (!letter || !id || !signature || (letter === 'c') !== (target !== undefined)) return undefined;
  const sendId = Buffer.from(id, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const tracked: Tracked =
    target === undefined ? { kind: 'opened', sendId } : { kind: 'clicked', sendId, url: Buffer.from(target, 'base64url').toString() };
  // So that no second way to write it works.
  const isCanonical = encodedId(sendId) === id && (tracked.kind === 'opened' || encodedTarget(tracked.url) === target);
  return isCanonical && vault.verify(PURPOSE, signedText(tracked), signature) ? tracked : undefined;
}

/** Whether the address is one of ours, whatever its signature says. */
export function isTrackingPath(path: string): boolean {
  return path.startsWith(`${PREFIX}/`);
}

/**
 * Security gateways, link previews and crawlers by what they call themselves. Image proxies of mailbox providers are not among them: they
 * load an image when a person opens the mail. Neither are plain HTTP libraries, which people use on purpose.
 */
const SCANNERS =
  /(?<!cu)bot\b|crawl|spider|slurp|preview|scanner|facebookexternalhit|whatsapp|skypeuri|embedly|barracuda|proofpoint|mimecast|cloudmark|trendmicro|symantec|messagelabs|fireeye|trellix|zscaler|forcepoint|ironport|sophos|mailguard|safelinks|microsoft office existence discovery|ms-office|urlscan|virustotal|phishtank|headlesschrome|phantomjs/i;

export function isScanner(userAgent: string | undefined): boolean {
  return userAgent !== undefined && SCANNERS.test(userAgent);
}

/** docs/contract/unsubscribe.md 13: nobody reads and clicks so fast after the submission. */
export const CLICK_TOO_SOON_MS = 2_000;
