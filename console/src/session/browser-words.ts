/** The first that is found in a User-Agent counts: browsers name those that they are like as well. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** A browser as people call it, like `Firefox on Windows`. */
export function browserWords(userAgent: string): string {
  const found = (among: readonly (readonly [string, string])[]): string | undefined =>
    among.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [found(BROWSERS) ?? 'Another browser', found(SYSTEMS)];
  return system ? `${browser} on ${system}` : browser;
}
