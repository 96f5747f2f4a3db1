import { Alert, Button, Code, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { asFailure, type Failure, type FailureKind } from '../api/failure.ts';

interface Words {
  readonly title: string;
  /** What to do now. */
  readonly advice: string;
}

const WORDS: Readonly<Record<FailureKind, Words>> = {
  connection: {
    title: 'No connection to Everpost',
    advice: 'Check the network. Nothing that you typed is lost; try again when it is back.',
  },
  key: { title: 'The key is not accepted', advice: 'Paste another key.' },
  permission: { title: 'This key may not do that', advice: 'Ask for a key with that scope, or sign in with another one.' },
  rate: { title: 'Too many requests', advice: 'Other programs use the same limit. Wait a moment, then try again.' },
  server: {
    title: 'Everpost could not answer',
    advice: 'Nothing that you typed is lost. Try again; if it stays, tell whoever runs Everpost.',
  },
  missing: { title: 'Not found', advice: 'It may have been deleted meanwhile, or belong to another project.' },
  input: { title: 'That was not accepted', advice: '' },
};

const SUSPENDED: Words = { title: 'The project is suspended', advice: 'Ask whoever runs Everpost to activate it.' };
const UNVERIFIED: Words = { title: "The owner's address is not verified", advice: 'Until it is, nothing is sent.' };

function wordsOf({ kind, details }: Failure): Words {
  if (details.code === 'project_suspended') return SUSPENDED;
  if (details.code === 'email_unverified') return UNVERIFIED;
  if (kind === 'rate' && details.retryAfterSeconds) {
    return { ...WORDS.rate, advice: `Other programs use the same limit. Try again in ${details.retryAfterSeconds} s.` };
  }
  return WORDS[kind];
}

/** What went wrong in a call, and what to do about it. */
export function FailureNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): ReactNode {
  const failure = asFailure(error);
  const { title, advice } = wordsOf(failure);
  const { requestId, issues = [] } = failure.details;
  const Icon = failure.kind === 'connection' ? IconPlugConnectedX : failure.kind === 'permission' ? IconLock : IconAlertTriangle;
  return (
    <Alert
      role="alert"
      color={failure.kind === 'input' || failure.kind === 'server' ? 'red' : 'orange'}
      title={title}
      icon={<Icon size={18} />}
    >
      {failure.kind === 'connection' ? null : <Text size="sm">{sentence(failure.message)}</Text>}
      {issues.length > 1 ? (
        <List size="sm" mt={4}>
          {issues.slice(0, 10).map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              {path ? <Code>{path}</Code> : null} {message}
            </List.Item>
          ))}
        </List>
      ) : null}
      {advice ? <Text size="sm">{advice}</Text> : null}
      {failure.kind === 'server' && requestId ? (
        <Text size="xs" mt={4}>
          Request <Code>{requestId}</Code>
        </Text>
      ) : null}
      {onRetry ? (
        <Group mt="xs">
          <Button variant="default" onClick={() => onRetry()}>
            Try again
          </Button>
        </Group>
      ) : null}
    </Alert>
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
