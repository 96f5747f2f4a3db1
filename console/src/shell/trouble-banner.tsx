import { IconHourglass } from '@tabler/icons-react';
import { useIsFetching } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asFailure } from '../api/failure.ts';
import classes from './shell.module.css';

/** Says that what is read is read again because the server failed: query-client.ts. Before all tries are over the page says nothing. */
export function TroubleBanner(): ReactNode {
  const failing = useIsFetching({
    predicate: ({ state: { fetchFailureReason } }) => fetchFailureReason !== null && asFailure(fetchFailureReason).kind === 'server',
  });
  return (
    <div role="status">
      {failing > 0 ? (
        <div className={classes.banner}>
          <IconHourglass size={16} aria-hidden />
          This is taking longer than usual. Retrying.
        </div>
      ) : null}
    </div>
  );
}
