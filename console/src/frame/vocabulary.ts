import { useDebouncedValue } from '@mantine/hooks';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../api/client.ts';
import { useSession } from '../session/session.tsx';

const FRESH_MS = 60_000;
/** A tag is asked for when its name has stood for so long. */
const TYPING_MS = 250;
/** Of tags at once. */
const MOST_ASKED = 20;

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
  /** Where contacts come from. */
  readonly sources: readonly string[];
  readonly attributes: readonly string[];
  readonly eventTypes: readonly string[];
  /** undefined: not known, or values of several types. */
  typeOf(attribute: string): KnownType | undefined;
}

const NONE: Vocabulary = {
  ...{ tags: [], tagCounts: new Map(), sources: [], attributes: [], eventTypes: [] },
  typeOf: () => undefined,
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
    sources: data.sources,
    attributes: data.attributes.map(({ name }) => name),
    eventTypes: data.eventTypes.map(({ type }) => type),
    typeOf(attribute) {
      const [type, ...others] = data.attributes.find(({ name }) => name === attribute)?.types.filter((each) => each !== 'null') ?? [];
      return others.length === 0 && (type === 'string' || type === 'number' || type === 'boolean') ? type : undefined;
    },
  };
}

/**
 * That no contact has these of the tags. The names that are kept may lack one that came since, so it is said only when the API was asked for those who
 * have it. undefined: each has somebody, or it is not known.
 */
export function useUnusedWords(tags: readonly string[]): string | undefined {
  const { may } = useSession();
  const { tagCounts } = useVocabulary();
  const unknown =
    may('GET /vocabulary') && may('GET /contacts') ? tags.filter((tag) => tag !== '' && !tagCounts.has(tag)).slice(0, MOST_ASKED) : [];
  const [settled] = useDebouncedValue(JSON.stringify(unknown), TYPING_MS);
  const asked = [...new Set(JSON.parse(settled) as string[])];
  const answers = useQueries({ queries: asked.map(hasNobodyQuery) });
  const unused = unknown.filter((tag) => answers[asked.indexOf(tag)]?.data === true);
  return unused.length > 0 ? `No contact has the ${unused.length === 1 ? 'tag' : 'tags'} ${unused.join(', ')}` : undefined;
}

/** Asked again whenever somebody comes back to the page: the tag may have been given elsewhere. */
function hasNobodyQuery(tag: string) {
  return queryOptions({
    queryKey: ['vocabulary', 'has nobody', tag],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/contacts', { params: { query: { tag, limit: 1 } }, signal }))).contacts.length === 0,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: 'always',
  });
}
