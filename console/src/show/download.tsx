import { Button, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useStore } from '../api/store.ts';
import { apiUrl } from '../base.ts';
import { SESSION_QUERY } from '../session/browser-session.ts';
import { sessionId, standing } from '../session/standing.ts';

interface Given {
  /** Of the API. */
  readonly path: string;
  /** Its filters; what is undefined or empty is left out. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly children: ReactNode;
}

/** Has the browser save an answer of the API as a file, as it comes: a stream of a million rows is in no page's memory. */
export function Download({ path, query, children }: Given): ReactNode {
  const href = useDownload(path, query);
  return (
    <Button component="a" href={href} download variant="default" leftSection={<IconDownload size={14} />}>
      {children}
    </Button>
  );
}

/** The same, in a menu. */
export function DownloadItem({ path, query, children }: Given): ReactNode {
  const href = useDownload(path, query);
  return (
    <Menu.Item component="a" href={href} download leftSection={<IconDownload size={15} />}>
      {children}
    </Menu.Item>
  );
}

/** The address of a download, for a link. It names the session of this tab, as calls do in a header, which links have none of. */
function useDownload(path: string, query: Given['query'] = {}): string {
  useStore(standing);
  const given = Object.entries({ ...query, [SESSION_QUERY]: sessionId() });
  const asked = new URLSearchParams(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return `${apiUrl}${path}?${asked}`;
}
