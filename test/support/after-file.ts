const ends: (() => unknown)[] = [];

/** Does this when the test file that is running has ended; for what a module of support has opened on its behalf, since it is loaded once for many files. */
export function afterFile(end: () => unknown): void {
  ends.push(end);
}

/** Ends what the file that has run has opened, in the order in which it was. */
export async function endOfFile(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
