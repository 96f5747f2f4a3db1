import { capitalized } from '../letters.ts';
import { CONTACT_TEXTS } from '../show/contact-texts.ts';

/** What the inputs are called that a request's fields come from, where their names do not say it. */
const LABELS: Readonly<Record<string, string>> = {
  // Of forms
  ...{ email: 'Email', to: 'To', emails: 'Emails', url: 'URL', defaultSubject: 'Subject', dataSchema: 'Variables', where: 'Rules' },
  ...{
    withinHours: 'Window in hours',
    sum: 'Sum of',
    scheduleAt: 'Start date',
    sendAt: 'Scheduled for',
    endsAt: 'End date',
    ratePerSecond: 'Throttle',
    endsAfterMinutes: 'Stop sending after',
  },
  ...Object.fromEntries(Object.entries(CONTACT_TEXTS).map(([name, { label }]) => [name, label])),
  ...{ consent: 'Consent', overlapHours: 'Hours', path: 'Path', kind: 'Kind' },
  // Of brands and keys
  ...{ replyTo: 'Reply-to address', logoUrl: 'Logo', color: 'Button color', address: 'Postal address', scopes: 'Permissions' },
  ...{ doubleOptIn: 'Double opt-in', confirmTemplate: 'Confirmation email', confirmReminders: 'Reminders' },
  // Of sequences
  ...{
    sequenceKey: 'Sequence',
    timeoutMinutes: 'At most',
    match: 'Only if',
    windowHours: 'Within',
    cooldownHours: 'Minimum time between runs',
  },
  ...{ onError: 'When it fails' },
  // Of blocks
  ...{
    src: 'Address',
    alt: 'Alt text',
    width: 'Width',
    href: 'Link',
    height: 'Height',
    items: 'Items',
    rows: 'One row per item of',
  },
  ...{ mjml: 'MJML', showIf: 'Show only if', header: 'Header', value: 'Value', level: 'Size' },
};
/** What one of several is called. */
const MEMBERS: Readonly<Record<string, string>> = {
  ...{
    blocks: 'block',
    columns: 'column',
    items: 'item',
    variants: 'variant',
    dataSchema: 'variable',
    emails: 'email',
    contacts: 'contact',
  },
  ...{ tags: 'tag', events: 'event', nodes: 'step', edges: 'connection', triggers: 'trigger', status: 'status', all: 'rule', any: 'rule' },
  ...{ arms: 'branch', branches: 'branch' },
};
/** What they hold is called by itself. */
const UNSAID = new Set(['content', 'filter', 'audience', 'settings', 'config']);

/**
 * Where in a request something is, as the form has it: `content.blocks[3].text` is "Block 4, Text". Paths into data and attributes are what people
 * write, and stay.
 */
export function pathWords(path: string): string {
  const [first = '', ...deeper] = path.split('.');
  if ((first === 'data' || first === 'attributes') && deeper.length > 0) return deeper.join('.');
  if (path === 'from.email') return 'From address';
  if (path === 'from.name') return 'From name';
  if (path === 'label') return 'Name';
  const parts = path.split('.').filter((part, index, all) => !UNSAID.has(part) || index === all.length - 1);
  const words = parts.map(partWords).join(', ');
  return capitalized(words);
}

function partWords(part: string): string {
  const [, name = part, index] = /^([^[]*)\[(\d+)\]/.exec(part) ?? [];
  if (index !== undefined) return `${MEMBERS[name] ?? spaced(name)} ${Number(index) + 1}`;
  const label = LABELS[name] ?? spaced(name);
  return capitalized(label);
}

/** `ratePerSecond` is "rate per second". */
function spaced(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}
