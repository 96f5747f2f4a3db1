import { LRUCache } from 'lru-cache';
import type { Vault } from '../projects/crypto.ts';
import { encodedTarget, trackedPaths } from '../sends/tracking.ts';
import { escapeHtml } from './escape.ts';
import type { CountedLinks } from './mail-context.ts';

const TARGET_CACHE_BYTES = 1024 * 1024;
const WEB = /^https?:/i;
const NOT_COUNTED = '';

/**
 * Leads the links of a mail through /t below `linksUrl` and gives it an open pixel: docs/contract/unsubscribe.md 11. The unsubscribe link stays as it is, and so does what
 * is no address of the web.
 */
export function createLinkCounter(vault: Vault): (sendId: string, linksUrl: string) => CountedLinks {
  const targets = new LRUCache<string, string>({ maxSize: TARGET_CACHE_BYTES });
  const targetOf = (url: string): string => {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const isCounted = WEB.test(url) && URL.canParse(url);
    const target = isCounted ? encodedTarget(url) : NOT_COUNTED;
    targets.set(url, target, { size: 100 + 2 * url.length + target.length });
    return target;
  };
  return (sendId, linksUrl) => {
    const unsubscribe = `${linksUrl}/api/v1/unsubscribe?`;
    const base = escapeHtml(linksUrl);
    const paths = trackedPaths(vault, sendId);
    const source = base + paths.opened();
    return {
      counted(url) {
        // Of each mail another one: it would take the place of those that all mails share.
        if (url.startsWith(unsubscribe)) return undefined;
        const target = targetOf(url);
        return target === NOT_COUNTED ? undefined : base + paths.clicked(url, target);
      },
      pixel: `<img src="${source}" width="1" height="1" alt="" style="display:block;border:0;width:1px;height:1px;">`,
    };
  };
}
