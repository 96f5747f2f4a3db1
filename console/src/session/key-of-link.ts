const IN_FRAGMENT = /^#key=([^&]+)$/;

/** The key of a link like `/console#key=ep_live_…`, which leaves the address and the history at once; undefined when there is none. */
export function takeKeyOfLink(): string | undefined {
  const [, given] = IN_FRAGMENT.exec(window.location.hash) ?? [];
  if (!given) return undefined;
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return decodeURIComponent(given);
}
