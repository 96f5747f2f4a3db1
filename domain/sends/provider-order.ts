import { BUCKETS, bucketBounds, bucketOf } from '../buckets.ts';
import type { SendType } from './send.ts';

/** What decides which of several providers a mail goes by. */
export interface RoutedMail {
  readonly sendId: string;
  /** Slugs. */
  readonly project: string;
  readonly brand: string;
  readonly type: SendType;
}

/** Mails that go by certain providers; what is not given is any. */
export interface ProviderRoute {
  /** Slugs. */
  readonly project?: string | undefined;
  readonly brand?: string | undefined;
  readonly type?: SendType | undefined;
  /** Of the mails that are meant, in percent; the others go on to the next route. Absent: all of them. */
  readonly share?: number | undefined;
  /** Names: the first is asked, and the next one when that surely did not take the mail. At least one. */
  readonly use: readonly string[];
}

/** A provider's part of the mails that no route is for. */
export interface ProviderShare {
  readonly name: string;
  /** Relative to those of the others; 0: it is asked only when others did not take the mail. */
  readonly weight: number;
}

/**
 * The order in which the providers are asked to take a mail: by the first route that means it, else by weight, and then the others as they are listed. The same
 * for ever for one send, so that whoever takes it up again asks in the same order. At least one of the providers has a weight.
 */
export function providerOrder(
  providers: readonly ProviderShare[],
  routes: readonly ProviderRoute[],
): (mail: RoutedMail) => readonly string[] {
  const names = providers.map(({ name }) => name);
  const weighted = providers.filter(({ weight }) => weight > 0);
  const bounds = bucketBounds(weighted);
  const orders = weighted.map(({ name }) => [name, ...names.filter((other) => other !== name)]);
  return (mail) => {
    const route = routes.find((each, index) => isMeant(each, index, mail));
    if (route) return route.use;
    const bucket = orders.length === 1 ? 0 : bucketOf(mail.sendId);
    return orders[bounds.findIndex((bound) => bucket < bound)] as readonly string[];
  };
}

function isMeant({ project, brand, type, share = 100 }: ProviderRoute, index: number, mail: RoutedMail): boolean {
  if (project !== undefined && project !== mail.project) return false;
  if (brand !== undefined && brand !== mail.brand) return false;
  if (type !== undefined && type !== mail.type) return false;
  // Of each route by itself: those that one leaves over are spread again by the next.
  return share >= 100 || bucketOf(`${index}:${mail.sendId}`) < (share / 100) * BUCKETS;
}
