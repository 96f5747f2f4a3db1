/** What tracking means, said on the finished HTML: the oracle that composed mails are compared with. */
import type { Vault } from '../../../domain/projects/crypto.ts';
import { trackedPath } from '../../../domain/sends/tracking.ts';
import { escapeHtml } from '../../../domain/templates/escape.ts';

export interface Tracking {
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly sendId: string;
}

/** The href of a link to the web. A `<link>` of the head and mailto: are none. */
const LINK = /(<a\s(?:[^<>]*?\s)?href=")(https?:[^"]*)"/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The HTML with an open pixel and with its links led through /t, so that opens and clicks can be counted: docs/contract/unsubscribe.md 11. The
 * unsubscribe link stays as it is, and so does what is no URL.
 */
export function trackHtml(html: string, { vault, publicUrl, sendId }: Tracking): string {
  const unsubscribe = `${publicUrl}/api/v1/unsubscribe?`;
  const linked = html.replace(LINK, (whole, before: string, href: string) => {
    const url = unescapeHtml(href).trim();
    if (url.startsWith(unsubscribe) || !URL.canParse(url)) return whole;
    return `${before}${escapeHtml(publicUrl)}${trackedPath(vault, { kind: 'clicked', sendId, url })}"`;
  });
  const source = escapeHtml(publicUrl) + trackedPath(vault, { kind: 'opened', sendId });
  const pixel = `<img src="${source}" width="1" height="1" alt="" style="display:block;border:0;width:1px;height:1px;">`;
  const end = linked.lastIndexOf('</body>');
  return end === -1 ? linked + pixel : linked.slice(0, end) + pixel + linked.slice(end);
}

function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name) return NAMED[name.toLowerCase()] as string;
      const point = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
