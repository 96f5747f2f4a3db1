const PREFIX = 'everpost.';

/** The name in the tab's storage of what is forgotten when somebody signs out. */
export function keptInTab(name: string): string {
  return `${PREFIX}${name}`;
}

/** Forgets whatever this tab has kept of the project. */
export function forgetKept(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
