import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { SnsClient } from '../../domain/inbound/proof.ts';
import { snsUrl } from '../../domain/inbound/sns.ts';

export interface SnsClientDeps {
  /** Reads a whole small answer; throws for anything but 200. Redirects are not followed. */
  readonly get: (url: URL) => Promise<Buffer>;
  /** PEM; whom chains of certificates must end at. */
  readonly roots: readonly string[];
  readonly now: () => Date;
}

const NAMES = /^sns(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/;
/** Where the issuers of such certificates lie (RFC 5280 4.2.2.1). What is fetched is checked, so http will do. */
const ISSUER_HOSTS = /(^|\.)(amazontrust|digicert)\.com$/;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const LONGEST_CHAIN = 4;
const KEYS_KEPT = 50;

export function createSnsClient({ get, roots, now }: SnsClientDeps): SnsClient {
  const trusted = roots.map((pem) => new X509Certificate(pem));
  const leaves = new LRUCache<string, X509Certificate>({ max: KEYS_KEPT });

  const issuerOf = async (certificate: X509Certificate, given: readonly X509Certificate[]): Promise<X509Certificate | undefined> => {
    const near = given.find((other) => isIssuer(other, certificate));
    if (near) return near;
    const address = /CA Issuers - URI:(\S+)/.exec(certificate.infoAccess ?? '')?.[1];
    if (!address || !URL.canParse(address) || !ISSUER_HOSTS.test(new URL(address).hostname)) return undefined;
    const fetched = new X509Certificate(await get(new URL(address)));
    return isIssuer(fetched, certificate) ? fetched : undefined;
  };

  /** Up to a root, every link signed by the next, a certificate authority within its time. */
  const endsAtRoot = async (leaf: X509Certificate, given: readonly X509Certificate[]): Promise<boolean> => {
    let at = leaf;
    for (let length = 1; length <= LONGEST_CHAIN; length++) {
      if (trusted.some((root) => isIssuer(root, at) && isCurrent(root, now()))) return true;
      const issuer = await issuerOf(at, given);
      if (!issuer || !isCurrent(issuer, now())) return false;
      at = issuer;
    }
    return false;
  };

  const fetchLeaf = async (url: URL): Promise<X509Certificate | undefined> => {
    const pems = (await get(url)).toString('latin1').match(PEM) ?? [];
    const [leaf, ...given] = pems.map((pem) => new X509Certificate(pem));
    const name = leaf && /(?:^|\n)CN=([^\n]+)/.exec(leaf.subject)?.[1];
    return leaf && name && NAMES.test(name) && (await endsAtRoot(leaf, given)) ? leaf : undefined;
  };

  return {
    async signingKey(certificateUrl) {
      const url = snsUrl(certificateUrl);
      if (!url?.pathname.endsWith('.pem')) return undefined;
      const leaf = leaves.get(url.href) ?? (await fetchLeaf(url));
      if (!leaf || !isCurrent(leaf, now())) return undefined;
      leaves.set(url.href, leaf);
      return leaf.publicKey;
    },
    async confirm(subscribeUrl) {
      const url = snsUrl(subscribeUrl);
      if (!url) return false;
      await get(url);
      return true;
    },
  };
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isCurrent({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** The real one: over the network, to the roots that Node trusts. */
export function amazonSnsClient(now: () => Date): SnsClient {
  const get = async (url: URL): Promise<Buffer> => {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    if (response.status !== 200) throw new Error(`${url.host} answered ${response.status}`);
    return Buffer.concat(chunks);
  };
  return createSnsClient({ get, roots: rootCertificates, now });
}
