import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Pinged {
  readonly delivered: boolean;
  /** null: there was no answer. */
  readonly responseStatus: number | null;
}

/** What came back from a ping. */
export function PingAnswer({ pinged, onClose }: { readonly pinged: Pinged; readonly onClose: () => void }): ReactNode {
  const { delivered, responseStatus } = pinged;
  return (
    <Alert
      role="status"
      color={delivered ? 'teal' : 'red'}
      title={delivered ? 'The ping was taken' : 'The ping was not taken'}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {responseStatus === null
        ? 'There was no answer: its name may not resolve, its certificate may not hold, it may be too slow, or its address may not be public.'
        : `The endpoint answered ${responseStatus}.`}
    </Alert>
  );
}
