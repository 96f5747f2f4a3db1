/** State of the history for an address that the page which is shown gets: whoever is on it stays where they are, and keeps the focus. */
export const SAME_PAGE = { isSamePage: true };

/** Whether the address was changed last by the page that is shown. */
export function isSamePage(): boolean {
  return (window.history.state as Partial<typeof SAME_PAGE> | null)?.isSamePage === true;
}
