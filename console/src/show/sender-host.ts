/** In the address of the list of domains: it asks for a new one at once. */
export const ADD_DOMAIN = 'add';
/** In the address of the list of domains: the host of a sender, whose domain it leads to, or asks to add. */
export const OF_HOST = 'of';

/** Where one sees what the domain of a sender lacks, below the console; the list of domains when its host is ''. */
export function wayToDomainOf(host: string): string {
  return host ? `/domains?${new URLSearchParams({ [OF_HOST]: host })}` : '/domains';
}

/** The host of an address. */
export function hostOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** The host of a sender that the API did not take since its domain is not verified, by its words; undefined of any other message. */
export function unverifiedHost(message: string): string | undefined {
  return /(?:^|\s)\S+@(\S+) is not on a verified sending domain/.exec(message)?.[1]?.toLowerCase();
}
