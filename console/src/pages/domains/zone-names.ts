/** The zones that names of a domain may lie in: the domain and those above it, as many as have a dot. */
export function zonesOf(domain: string): readonly string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** The letters before the country in names like `co.uk` and `com.br`, below which people register theirs. */
const LONGEST_GROUP = 3;

/** Where its records are most likely hosted. Nothing but a list of all registries would know; so it can be changed. */
export function likelyZone(domain: string): string {
  const [group = '', country = ''] = domain.split('.').slice(-2);
  const isBelowGroup = country.length === 2 && group.length <= LONGEST_GROUP;
  const zones = zonesOf(domain);
  return zones.at(isBelowGroup ? -2 : -1) ?? domain;
}

/** A name as most hosts of DNS ask for it: without the zone that they put behind it; `@` is the zone itself. */
export function nameInZone(name: string, zone: string): string {
  if (name === zone) return '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}
