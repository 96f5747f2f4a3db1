import { attributesProblem, type ContactFields, changeContact } from '../contacts/contact.ts';
import { byName, CONTACT_TEXT_COLUMNS, MAX_TEXT } from '../contacts/fields.ts';
import { isTag, MAX_TAGS } from '../contacts/tags.ts';
import type { ContactUpdate } from './kinds/update-contact-config.ts';
import { renderJson, renderText } from './liquid-value.ts';
import type { WalkBudget } from './walk-budget.ts';

export interface UpdatedContact {
  readonly contact: ContactFields;
  /** What happened, in words. */
  readonly detail: string;
}

export interface UpdateScope {
  /** What its Liquid sees. */
  readonly variables: object;
  readonly budget: WalkBudget;
  readonly now: Date;
}

/**
 * What an update_contact node makes of a contact. A value that the rules for contacts do not allow is left out, and the detail names it.
 * Throws OverBudget.
 */
export function applyUpdate(contact: ContactFields, update: ContactUpdate, { variables, budget, now }: UpdateScope): UpdatedContact {
  const leftOut: string[] = [];
  const text = (field: string, source: string | null | undefined, allowed: (value: string) => boolean): string | null | undefined => {
    if (source === undefined || source === null) return source;
    const value = renderText(source, variables, budget);
    // What the event or the contact does not have must not wipe what is there; null clears on purpose.
    if (allowed(value) && (value !== '' || source === '')) return value;
    leftOut.push(field);
    return undefined;
  };
  const tags = (sources: readonly string[] = []): string[] => sources.flatMap((source) => text('tags', source, isTag) ?? []);
  const { set = {} } = update;
  const attributes = set.attributes && (renderJson(set.attributes, variables, budget) as Record<string, unknown>);
  const input = {
    email: '',
    ...byName(CONTACT_TEXT_COLUMNS, (_, { name, form }) => text(name, set[name], form?.is ?? isShort)),
    tags: changedTags(contact.tags, tags(update.addTags), tags(update.removeTags)),
    status: update.status,
  };
  const plain = changeContact(contact, input, now);
  const full = attributes ? changeContact(plain, { email: '', attributes }, now) : plain;
  const fits = attributesProblem(full.attributes) === undefined;
  if (!fits) leftOut.push('attributes');
  const detail =
    leftOut.length > 0 ? `contact updated, without ${[...new Set(leftOut)].join(', ')}: not a possible value` : 'contact updated';
  return { contact: fits ? full : plain, detail };
}

const isShort = (value: string): boolean => value.length <= MAX_TEXT;

function changedTags(tags: readonly string[], addTags: readonly string[], removeTags: readonly string[]): readonly string[] {
  const kept = tags.filter((tag) => !removeTags.includes(tag));
  return [...new Set([...kept, ...addTags])].slice(0, Math.max(MAX_TAGS, kept.length));
}
