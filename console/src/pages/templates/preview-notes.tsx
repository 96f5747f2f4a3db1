import { Alert, Button, Code, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { asFailure, type Failure } from '../../api/failure.ts';
import { capitalized } from '../../letters.ts';
import { FailureNotice, type PlaceWords } from '../../show/failure-notice.tsx';
import type { Preview } from './template-queries.ts';

interface Given {
  readonly preview: Preview | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  /** What a place in the content is called; as the API has it when omitted. */
  readonly placeWords?: PlaceWords | undefined;
}

/** What is to be known about a preview: data that lacks, and what the API warns of. Nothing when all is well. */
export function PreviewNotes({ preview, error, onRetry, placeWords }: Given): ReactNode {
  if (error) {
    const failure = asFailure(error);
    if (isTooSlow(failure)) {
      return (
        <Alert color="orange" title="The preview took too long" role="status">
          <Text size="sm">It may be that much is rendered just now, or that the template loops over very much.</Text>
          <Button variant="default" mt="xs" onClick={onRetry}>
            Try again
          </Button>
        </Alert>
      );
    }
    // What is wrong with the template itself is wrong the next time too.
    return failure.kind === 'input' ? (
      <FailureNotice error={error} placeWords={placeWords} />
    ) : (
      <FailureNotice error={error} onRetry={onRetry} />
    );
  }
  const { missing = [], warnings = [] } = preview ?? {};
  return (
    <>
      {missing.length > 0 ? (
        <Alert color="orange" title="Empty in the email" role="status" mb="sm">
          {missing.map((path) => (
            <Code key={path} mr={4}>
              {path}
            </Code>
          ))}
        </Alert>
      ) : null}
      {warnings.length > 0 ? <Warnings warnings={warnings} placeWords={placeWords} /> : null}
    </>
  );
}

/** Which may pass: how long a rendering takes is a matter of what else is rendered, too. */
function isTooSlow({ message, details: { issues = [] } }: Failure): boolean {
  return [message, ...issues.map((issue) => issue.message)].some((one) => /\btoo slow\b/.test(one));
}

interface WarningsGiven extends Pick<Given, 'placeWords'> {
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

/** With a capital, unless it begins with a variable, which is spelt as it is. */
export function warningWords(place: string | undefined, message: string): string {
  if (place) return capitalized(`${place}: ${message}`);
  return /^\S+ is no (variable|field)\b/.test(message) ? message : capitalized(message);
}

/** What the API took, but warns of. */
export function Warnings({ warnings, placeWords }: WarningsGiven): ReactNode {
  return (
    <Alert color="orange" title={warnings.length === 1 ? 'Warning' : 'Warnings'} role="status" mb="sm">
      <List size="sm">
        {warnings.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>{warningWords(placeWords?.(path), message)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
