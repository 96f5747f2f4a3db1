/** Something that people choose to get or not, like a newsletter. */
export interface Topic {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** Whether it goes to those who have not chosen. */
  readonly defaultOn: boolean;
  /** Whether the page of choices offers it to everybody; the others are shown to whom they have gone. */
  readonly public: boolean;
}

/** What a person chose, by the topic's key. A topic that is not there is as its default. */
export type TopicChoices = Readonly<Record<string, boolean>>;

/** Whether mails of the topic go to whom made these choices. */
export function isTopicOn({ key, defaultOn }: Pick<Topic, 'key' | 'defaultOn'>, choices: TopicChoices): boolean {
  return Object.hasOwn(choices, key) ? choices[key] === true : defaultOn;
}

/** Topics of one project: as many as a page of choices can show. */
export const MOST_TOPICS = 50;

/** Characters of what a topic says of itself on the page of choices. */
export const MAX_TOPIC_DESCRIPTION = 500;

/**
 * The choices after a call that wants these. A sign-up form says the same of everybody, so it takes nobody's "no" back: off stays off unless the
 * caller knows that the person wants it again.
 */
export function chooseTopics(
  current: TopicChoices,
  wanted: TopicChoices,
  { resubscribe }: { readonly resubscribe: boolean },
): TopicChoices {
  const allowed = Object.entries(wanted).filter(([key, on]) => !on || resubscribe || current[key] !== false);
  return { ...current, ...Object.fromEntries(allowed) };
}

/** The choices that differ, as they were and as they are; undefined where none does. */
export function changedTopics(
  before: TopicChoices,
  after: TopicChoices,
): { readonly before: TopicChoices; readonly after: TopicChoices } | undefined {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]);
  if (keys.length === 0) return undefined;
  const of = (choices: TopicChoices) => Object.fromEntries(Object.entries(choices).filter(([key]) => keys.includes(key)));
  return { before: of(before), after: of(after) };
}
