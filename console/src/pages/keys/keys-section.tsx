import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePages } from '../../frame/paging.ts';
import { useSession } from '../../session/session.tsx';
import { Command } from '../../show/command.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { type ApiKey, keysQuery } from './key-queries.ts';
import { NewKey } from './new-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { Scopes } from './scopes.tsx';

const STATES = [
  { value: 'working', label: 'Active' },
  { value: 'revoked', label: 'Revoked' },
];

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(keysQuery());
}

/** The project's keys; those that may make and revoke others. */
export default function KeysSection(): ReactNode {
  const { key: current, may } = useSession();
  const [isMaking, setIsMaking] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const filters = useFilters(['state']);
  const { data, error, refetch } = useQuery(keysQuery());
  const state = filters.get('state');
  const found = data?.filter(({ revoked_at }) => state === '' || (revoked_at === null) === (state === 'working'));
  const { rows, paging } = usePages(found);
  const hasRevoked = data?.some(({ revoked_at }) => revoked_at !== null);
  const action = may('POST /keys') ? (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setIsMaking(true)}>
      Create key
    </Button>
  ) : undefined;
  return (
    <Page title="API keys" description="Keys that can call this project's API, and when each was last used" actions={action}>
      {hasRevoked ? (
        <FilterBar filters={filters} rows={rows}>
          <ChoiceFilter filters={filters} name="state" label="Status" choices={STATES} />
        </FilterBar>
      ) : null}
      <List
        label="API keys"
        columns={columnsFor(current.id, may('DELETE /keys/{id}') ? setRevoked : undefined)}
        rows={rows}
        rowKey={({ id }) => id}
        error={error}
        onRetry={refetch}
        total={found?.length}
        paging={paging}
        empty={{ title: 'No keys match', text: 'Change or clear the filter.' }}
      />
      {may('POST /keys') ? null : <HowTo />}
      <NewKey opened={isMaking} onClose={() => setIsMaking(false)} />
      <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

function columnsFor(current: string, onRevoke: ((key: ApiKey) => void) | undefined): readonly Column<ApiKey>[] {
  const columns: readonly Column<ApiKey>[] = [
    { title: 'Key', hasTwoLines: true, width: '36%', cell: (key) => <KeyName apiKey={key} isCurrent={key.id === current} /> },
    { title: 'Permissions', isOwnLine: true, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    { title: 'Id', wideOnly: true, roomyOnly: true, width: 128, cell: ({ id }) => <CopiedId value={id} name="key id" /> },
    {
      title: 'Last used',
      isNamed: true,
      width: 128,
      cell: ({ last_used_at }) =>
        last_used_at ? (
          <Time at={last_used_at} />
        ) : (
          <Text inherit c="dimmed">
            Never
          </Text>
        ),
    },
    { title: 'Created', isNamed: true, width: 116, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
  ];
  if (!onRevoke) return columns;
  const revoke: Column<ApiKey> = {
    title: 'Action',
    width: 96,
    align: 'right',
    cell: (key) =>
      key.revoked_at ? null : (
        <Button variant="default" size="compact-xs" aria-label={`Revoke ${key.name ?? key.public_id}`} onClick={() => onRevoke(key)}>
          Revoke…
        </Button>
      ),
  };
  return [...columns, revoke];
}

function KeyName({
  apiKey: { name, public_id, is_test, revoked_at },
  isCurrent,
}: {
  readonly apiKey: ApiKey;
  readonly isCurrent: boolean;
}): ReactNode {
  return (
    <>
      <Group gap={8} wrap="nowrap">
        <Text inherit fw={500} truncate c={name ? undefined : 'dimmed'} title={name ?? undefined}>
          {name ?? 'Unnamed'}
        </Text>
        {isCurrent ? (
          <Badge size="sm" style={{ flex: 'none' }}>
            Signed in
          </Badge>
        ) : null}
        {is_test ? (
          <Badge size="sm" style={{ flex: 'none' }} title="Nothing it sends is delivered">
            Test
          </Badge>
        ) : null}
        {revoked_at ? <Status value="revoked" tone="idle" /> : null}
      </Group>
      <Text size="xs" c="dimmed" ff="monospace" truncate>
        {is_test ? 'ep_test' : 'ep_live'}_{public_id}_…
      </Text>
    </>
  );
}

/** How keys come and go where the one that is signed in with makes none. */
function HowTo(): ReactNode {
  const { project } = useSession();
  return (
    <Panel title="Creating and revoking keys">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A key with the scope keys:write creates and revokes keys on this page, and so does an operator on the server. A key is shown once,
          when it is created. A revoked key stops working at once.
        </Text>
        <Command words="Create a key with only the scopes its app needs" name="command that creates a key">
          {`npm run -s admin -- key create ${project.slug} --name backend --scopes send,contacts:write`}
        </Command>
        <Command words="Revoke a key by its ID" name="command that revokes a key">
          {'npm run -s admin -- key revoke <id>'}
        </Command>
      </Stack>
    </Panel>
  );
}
