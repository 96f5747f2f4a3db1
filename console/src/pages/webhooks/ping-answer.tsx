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
      title={delivered ? 'Ping accepted' : 'Ping rejected'}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {responseStatus === null
        ? 'No response. Check that the name resolves, the certificate is valid, the endpoint answers in time, and its address is public.'
        : `The endpoint responded with ${responseStatus}.`}
    </Alert>
  );
}
