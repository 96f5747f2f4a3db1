import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { MOST_NAMES } from '../api/limits.ts';
import { useSession } from '../session/session.tsx';

const FRESH_MS = 60_000;

function vocabularyQuery() {
  return queryOptions({
    queryKey: ['vocabulary'],
    queryFn: ({ signal }) => answerOf(api.GET('/vocabulary', { signal })),
    staleTime: FRESH_MS,
  });
}

/** What an attribute's values are, where they are all the same. */
export type KnownType = Extract<Schemas['UsedAttribute']['types'][number], 'string' | 'number' | 'boolean'>;

export interface Vocabulary {
  readonly tags: readonly string[];
  /** How many contacts have each. */
  readonly tagCounts: ReadonlyMap<string, number>;
  readonly attributes: readonly string[];
  readonly eventTypes: readonly string[];
  /** undefined: not known, or values of several types. */
  typeOf(attribute: string): KnownType | undefined;
  /** That no contact has these of the tags; undefined: each has somebody, or it is not known. */
  unusedWords(tags: readonly string[]): string | undefined;
}

const NONE: Vocabulary = {
  ...{ tags: [], tagCounts: new Map(), attributes: [], eventTypes: [] },
  typeOf: () => undefined,
  unusedWords: () => undefined,
};

/** The names that the project uses, to choose from; others may be typed. Empty until they are read, and for keys that may not read them. */
export function useVocabulary(): Vocabulary {
  const { may } = useSession();
  const { data } = useQuery({ ...vocabularyQuery(), enabled: may('GET /vocabulary') });
  if (!data) return NONE;
  const tagCounts = new Map(data.tags.map(({ tag, contacts }) => [tag, contacts]));
  return {
    tags: data.tags.map(({ tag }) => tag),
    tagCounts,
    attributes: data.attributes.map(({ name }) => name),
    eventTypes: data.eventTypes.map(({ type }) => type),
    typeOf(attribute) {
      const [type, ...others] = data.attributes.find(({ name }) => name === attribute)?.types.filter((each) => each !== 'null') ?? [];
      return others.length === 0 && (type === 'string' || type === 'number' || type === 'boolean') ? type : undefined;
    },
    unusedWords(tags) {
      const unused = data.tags.length < MOST_NAMES ? tags.filter((tag) => tag !== '' && !tagCounts.has(tag)) : [];
      return unused.length > 0 ? `No contact has the ${unused.length === 1 ? 'tag' : 'tags'} ${unused.join(', ')}` : undefined;
    },
  };
}
