import { Alert, Button, Code, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconPlugConnectedX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { connectionLost } from '../api/client.ts';
import { asFailure, type Failure, type FailureKind, type Issue } from '../api/failure.ts';
import { messageForPeople } from '../api/issues.ts';
import { pathWords } from '../api/path-words.ts';
import { useStore } from '../api/store.ts';
import { capitalized } from '../letters.ts';
import { isRefused, sessionId, standing } from '../session/standing.ts';
import { DomainLink } from './domain-link.tsx';
import { sendErrorWords } from './send-error-words.ts';
import { unverifiedHost } from './sender-host.ts';

interface Words {
  readonly title: string;
  /** What to do now. */
  readonly advice: string;
  /** Before the advice, where something may have been typed. */
  readonly kept?: string;
}

const KEPT = 'Nothing you typed is lost.';

const WORDS: Readonly<Record<FailureKind, Words>> = {
  connection: {
    title: 'No connection to Everpost',
    advice: 'Check your network and try again.',
    kept: KEPT,
  },
  key: { title: 'Your session has ended', advice: 'Sign in with a key.' },
  permission: { title: 'This key cannot do that', advice: 'Sign in with a key that has that scope.' },
  rate: { title: 'Too many requests', advice: 'Other apps share this limit. Wait a moment and try again.' },
  server: {
    title: 'Everpost is not responding',
    advice: 'Try again. If it keeps happening, contact whoever runs Everpost.',
    kept: KEPT,
  },
  missing: { title: 'Not found', advice: 'It may have been deleted, or belong to another project.' },
  input: { title: 'Not accepted', advice: '' },
};

/** Of codes whose message is for programs. */
const MESSAGES: Readonly<Record<string, string>> = {
  duplicate_label: 'Another segment already has this name',
  unknown_segment: 'The segment was deleted. Choose another',
  schedule_in_past: 'The start time is in the past',
  ends_before_start: 'The end date is before the start',
  audience_changed: 'The audience has changed. Check the number again',
  approval_required: 'Someone with another key has to approve it first',
  too_many_drafts: 'The project has too many drafts. Send or delete one first',
  too_many_languages: 'The template has too many languages. Remove one first',
  template_not_enabled: 'The template is off. Turn it on in its settings first',
};

const NOT_SENT: Words = { title: 'Email not sent', advice: '' };
const WAS_LOST: Words = {
  title: 'Connection lost for a moment',
  advice: 'It is back. Try again.',
  kept: KEPT,
};
const SUSPENDED: Words = { title: 'The project is suspended', advice: 'Ask whoever runs Everpost to reactivate it.' };
const UNVERIFIED: Words = { title: "The owner's email is not verified", advice: 'Nothing is sent until it is.' };

function wordsOf({ kind, details }: Failure): Words {
  if (details.code === 'project_suspended') return SUSPENDED;
  if (details.code === 'email_unverified') return UNVERIFIED;
  if (details.code === 'send_failed' && kind === 'input') return NOT_SENT;
  if (kind === 'rate' && details.retryAfterSeconds) {
    return { ...WORDS.rate, advice: `Other apps share this limit. Try again in ${details.retryAfterSeconds} s.` };
  }
  return WORDS[kind];
}

/** What a place in a request is called; undefined where there is no better name than that of the API. */
export type PlaceWords = (path: string) => string | undefined;

interface Given {
  readonly error: unknown;
  /** Of what was read, for which nothing was typed. */
  readonly onRetry?: (() => void) | undefined;
  readonly placeWords?: PlaceWords | undefined;
}

/** What went wrong in a call, and what to do about it. */
export function FailureNotice({ error, onRetry, placeWords = pathWords }: Given): ReactNode {
  const failure = asFailure(error);
  useStore(standing);
  const session = sessionId();
  const isLost = useStore(connectionLost);
  const [refused, setRefused] = useState({ error, session });
  if (refused.error !== error) setRefused({ error, session });
  const isAskedFor = useStore(isRefused);
  // A key is asked for over the page, which says why; or somebody has signed in anew since.
  if (failure.kind === 'key' && isAskedFor) return null;
  if (failure.kind === 'key' && refused.error === error && refused.session !== session) return null;
  const { title, advice, kept } = failure.kind === 'connection' && !isLost ? WAS_LOST : wordsOf(failure);
  const { requestId, issues = [] } = failure.details;
  const message = messageOf(failure, placeWords);
  const host = unverifiedHost(failure.message);
  const Icon = failure.kind === 'connection' ? IconPlugConnectedX : failure.kind === 'permission' ? IconLock : IconAlertTriangle;
  return (
    <Alert
      role="alert"
      color={failure.kind === 'input' || failure.kind === 'server' ? 'red' : 'orange'}
      title={title}
      icon={<Icon size={18} />}
    >
      {message && issues.length <= 1 ? <Text size="sm">{sentence(message)}</Text> : null}
      {issues.length > 1 ? (
        <List size="sm" mt={4}>
          {issues.slice(0, MOST_ISSUES).map((issue) => (
            <List.Item key={`${issue.path} ${issue.message}`}>{sentence(issueWords(issue, placeWords))}</List.Item>
          ))}
          {issues.length > MOST_ISSUES ? <List.Item>And {issues.length - MOST_ISSUES} more.</List.Item> : null}
        </List>
      ) : null}
      {host === undefined ? null : (
        <Text size="sm">
          <DomainLink host={host}>Verify {host}</DomainLink>
        </Text>
      )}
      {advice ? <Text size="sm">{[onRetry ? undefined : kept, advice].filter(Boolean).join(' ')}</Text> : null}
      {failure.kind === 'server' && requestId ? (
        <Text size="xs" mt={4}>
          Request <Code>{requestId}</Code>
        </Text>
      ) : null}
      {onRetry && failure.kind !== 'permission' ? (
        <Group mt="xs">
          <Button variant="default" onClick={() => onRetry()}>
            Try again
          </Button>
        </Group>
      ) : null}
    </Alert>
  );
}

const MOST_ISSUES = 10;

/** What the API says, without codes, paths and calls; '' where that tells nobody anything. */
function messageOf({ kind, message, details: { code = '', issues = [] } }: Failure, placeWords: PlaceWords): string {
  if (kind === 'connection' || code === 'internal') return '';
  if (code === 'send_failed') return sendErrorWords(message);
  const [issue] = issues;
  return MESSAGES[code] ?? (issue ? issueWords(issue, placeWords) : messageForPeople(message));
}

function issueWords({ path, message }: Issue, placeWords: PlaceWords): string {
  const words = messageForPeople(message);
  return path ? `${placeWords(path) ?? pathWords(path)}: ${words}` : words;
}

function sentence(text: string): string {
  const first = capitalized(text);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
