import { capitalized } from '../../letters.ts';
import { durationWords } from '../../show/duration-words.ts';
import { momentWords } from '../../show/time.tsx';
import { contactFieldWords } from './graph/contact-field-words.ts';
import type { WayStep } from './graph/marks.ts';
import type { ConfigOf } from './graph/node-kinds.ts';
import { outcomeWords } from './graph/node-words.ts';
import { MAILS_FAIL, type Problem } from './problems.ts';
import type { GraphNode, Simulation } from './sequence-queries.ts';

type Step = Simulation['path'][number];

/** How the API begins what it says of a step, and how it is said here. The first that fits. */
const WORDS: readonly { readonly says: RegExp; readonly words: (match: RegExpExecArray, node: GraphNode | undefined) => string }[] = [
  { says: /^entered the sequence$/, words: () => 'Enters' },
  { says: /^would wait for (\S+) until (\S+)$/, words: ([, what = '', until = ''], node) => waitWords(what, momentWords(until), node) },
  {
    says: /^would send (\S+), (?:.+, )?held by the frequency cap until (\S+)$/,
    words: ([, , until = '']) => `Would be sent on ${momentWords(until)} because of the frequency cap`,
  },
  { says: /^would gather 0 events until (\S+)$/, words: ([, until = '']) => `No event would gather until ${momentWords(until)}` },
  { says: /^would gather (\d+ events?) until (\S+)$/, words: ([, what, until = '']) => `${what} would gather until ${momentWords(until)}` },
  { says: /^would pass$/, words: () => 'Would pass' },
  { says: /^would be dropped: (.+)$/, words: ([, why]) => `Would be dropped: ${why}` },
  { says: /^would be delayed until (\S+): .+$/, words: ([, until = '']) => `Would be delayed until ${momentWords(until)}` },
  {
    says: /^would send (\S+), (?:.+, )?waits for (\S+) in (\S+) until (\S+)$/,
    words: ([, , time, zone, until = '']) => `Would be sent on ${momentWords(until)}, when its send window opens (${time} in ${zone})`,
  },
  { says: /^would send /, words: () => 'Would be sent' },
  { says: /^would be skipped: (\S+)$/, words: ([, why = '']) => `Would be skipped: ${skippedWords(why)}` },
  {
    says: /^would fail: render_failed: required data is missing: (.+)$/,
    words: ([, what = '']) => `Would fail: ${dataWords(what)} is missing`,
  },
  { says: /^would fail: (?:\w+: )?(.+)$/, words: ([, why = '']) => `Would fail: ${why}` },
  { says: /^would call /, words: () => 'Would be called' },
  { says: /^would enroll into (\S+) and wait for its end$/, words: ([, key]) => `Would go through ${key}, then continue` },
  { says: /^would enroll into (\S+)$/, words: ([, key]) => `Would enter ${key} and continue at once` },
  { says: /^assumed: (.+)$/, words: ([, outcome = '']) => `Assumed: ${assumedWords(outcome)}` },
  { says: /^the event (.+) arrives and meets the goal$/, words: ([, type]) => `The event ${type} happens and reaches the goal` },
  { says: /^the event (.+) arrives$/, words: ([, type]) => `The event ${type} happens` },
  { says: /^the condition holds already$/, words: () => 'Already met' },
  { says: /^the condition holds$/, words: () => 'Yes' },
  { says: /^the condition does not hold$/, words: () => 'No' },
  { says: /^the condition of (\S+) holds$/, words: ([, key]) => `Takes ${key}` },
  { says: /^no condition holds$/, words: () => outcomeWords('default') },
  { says: /^arm (\S+)$/, words: ([, key]) => `Takes ${key}` },
  { says: /^passed at once$/, words: () => 'Continues at once' },
  { says: /^the goal is reached$/, words: () => 'Reached' },
  { says: /^the condition of the goal does not hold$/, words: () => 'Not reached' },
  { says: /^the end$/, words: () => '' },
  { says: /^contact updated$/, words: () => '' },
  {
    says: /^contact updated, without (.+): not a valid value$/,
    words: ([, names = '']) => `Without ${names.split(', ').map(contactFieldWords).join(', ')}: not a valid value`,
  },
];

const SKIPPED: Readonly<Record<string, string>> = {
  suppressed: 'the address is suppressed',
  unsubscribed: 'the contact has unsubscribed',
  bounced: 'email to the contact bounced',
  unconfirmed: 'the contact has not confirmed the sign-up',
  topic_off: 'the contact does not want this topic',
  frequency_cap: 'over the frequency cap',
};

/** Whether a mail of a step would go out. */
export function isSent({ kind, detail = '' }: Step): boolean {
  return kind === 'send_email' && /^would send |^assumed: sent$/.test(detail);
}

/** How a step came to its end, by what the API says of it; the first that fits gives its outcome. */
const OUTCOMES: readonly { readonly says: RegExp; readonly outcome?: string }[] = [
  { says: /^assumed: (.+)$/ },
  { says: /^arm (\S+)$/ },
  { says: /^the condition of (\S+) holds$/ },
  { says: /^the condition holds$/, outcome: 'true' },
  { says: /^the condition does not hold$/, outcome: 'false' },
  { says: /^no condition holds$/, outcome: 'default' },
  { says: /^the event .+ arrives$/, outcome: 'event' },
  { says: /^would wait for /, outcome: 'timeout' },
  { says: /^would gather 0 events /, outcome: 'empty' },
  { says: /^would gather /, outcome: 'gathered' },
  { says: /^would be dropped: /, outcome: 'dropped' },
  { says: /^would (?:pass$|be delayed )/, outcome: 'passed' },
];

/** The outcome of a step, by which it was left; undefined where it has none, or only one. */
export function outcomeIn({ detail = '' }: Step): string | undefined {
  for (const { says, outcome } of OUTCOMES) {
    const match = says.exec(detail);
    if (match) return outcome ?? match[1];
  }
  return undefined;
}

/** The nodes whose mails would go out if all were set up that is not yet, each with what is not. */
export type FailingMails = ReadonlyMap<string, string>;

/** Those of a simulation, by what is to be known about its graph. */
export function failingMails({ path }: Pick<Simulation, 'path'>, problems: readonly Problem[]): FailingMails {
  const would = new Set(path.filter(({ detail = '' }) => detail.startsWith('would send ')).map(({ nodeId }) => nodeId));
  const failing = problems.filter(({ message }) => message.startsWith(MAILS_FAIL));
  return new Map(failing.flatMap(({ nodeId, message }) => (nodeId && would.has(nodeId) ? [[nodeId, message]] : [])));
}

/** A simulation as the way that is drawn over its graph. */
export function waySteps(path: Simulation['path'], failing: FailingMails): WayStep[] {
  return path.map((step) => ({
    nodeId: step.nodeId,
    outcome: outcomeIn(step) ?? null,
    isBad: /^would fail|^assumed: failed/.test(step.detail ?? '') || failing.has(step.nodeId),
  }));
}

/** What a step of a simulation came to, for people; '' where its name says it all. */
export function stepWords({ detail = '' }: Step, node: GraphNode | undefined): string {
  return detailWords(detail, node) ?? capitalized(detail);
}

/** What the API says of a step, for people; '' where its name says it all, undefined where there are no words for it. */
export function detailWords(detail: string, node: GraphNode | undefined): string | undefined {
  for (const { says, words } of WORDS) {
    const match = says.exec(detail);
    if (match) return words(match, node);
  }
  return undefined;
}

/** Why a mail was left out. */
export function skippedWords(reason: string): string {
  return SKIPPED[reason] ?? reason.replaceAll('_', ' ');
}

/** Whatever it waits for, as its node says it too. */
function waitWords(what: string, until: string, node: GraphNode | undefined): string {
  const config = node?.config ?? {};
  if (what === 'delay') return `Would wait ${durationWords((config as ConfigOf<'wait_delay'>).minutes)}, until ${until}`;
  if (what === 'time') return `Would wait until ${until}`;
  const most = durationWords(Number(config.timeoutMinutes));
  return `No event: would wait ${most}, until ${until}`;
}

/** `contact.first_name, order.id`: paths into the data, as names. */
function dataWords(paths: string): string {
  return paths
    .split(', ')
    .map((path) => path.replace(/^(contact|event)\./, '').replaceAll(/[._]/g, ' '))
    .join(', ');
}

function assumedWords(outcome: string): string {
  return outcome === 'skipped' ? 'left out' : outcomeWords(outcome).toLowerCase();
}
