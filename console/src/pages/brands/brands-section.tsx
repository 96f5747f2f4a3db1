import { Badge, Box, Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FormDialog } from '../../frame/form.tsx';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { DomainLink } from '../../show/domain-link.tsx';
import { hostOf } from '../../show/sender-host.ts';
import { Status } from '../../show/status.tsx';
import { BrandForm } from './brand-form.tsx';
import { type Brand, brandsQuery } from './brand-queries.ts';
import { ProjectWindow } from './project-window.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(brandsQuery());
}

/** Who your emails come from, and how they look. */
export default function BrandsSection(): ReactNode {
  const { may } = useSession();
  const [edited, setEdited] = useState<Brand | 'new'>();
  const { data, error, refetch } = useQuery(brandsQuery());
  const isEditable = may('PUT /brands/{slug}');
  const close = (): void => setEdited(undefined);
  const add = isEditable ? (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setEdited('new')}>
      Add brand
    </Button>
  ) : undefined;
  const brand = edited === 'new' ? undefined : edited;
  return (
    <Page
      title="Brands"
      description="Who your emails come from, and how they look"
      actions={add ?? <ReadsOnly things="brands" doing="changing" operation="PUT /brands/{slug}" />}
    >
      <List
        label="Brands"
        columns={columnsFor(isEditable ? setEdited : undefined)}
        rows={data}
        rowKey={({ slug }) => slug}
        error={error}
        onRetry={refetch}
        empty={{
          title: 'No brands yet',
          text: isEditable
            ? 'You need a brand to send email. Add one with a sender on a verified domain.'
            : 'You need a brand to send email. Sign in with a key that has the scope brands:write to add one.',
        }}
      />
      <Box mt="lg">
        <ProjectWindow />
      </Box>
      <FormDialog opened={edited !== undefined} onClose={close} title={brand ? `Edit ${brand.name}` : 'Add brand'} size="lg">
        <BrandForm brand={brand} taken={(data ?? []).map(({ slug }) => slug)} onClose={close} />
      </FormDialog>
    </Page>
  );
}

function columnsFor(onEdit: ((brand: Brand) => void) | undefined): readonly Column<Brand>[] {
  const columns: readonly Column<Brand>[] = [
    { title: 'Brand', hasTwoLines: true, cell: (brand) => <BrandName brand={brand} /> },
    { title: 'Sender', isOwnLine: true, width: '34%', cell: (brand) => <Sender brand={brand} /> },
    {
      title: 'Postal address',
      wideOnly: true,
      roomyOnly: true,
      width: '24%',
      cell: ({ address }) => (
        <Text inherit c="dimmed" truncate title={address ?? undefined}>
          {address ?? 'None'}
        </Text>
      ),
    },
  ];
  if (!onEdit) return columns;
  const edit: Column<Brand> = {
    title: 'Action',
    width: 80,
    align: 'right',
    cell: (brand) => (
      <Button variant="default" size="compact-xs" aria-label={`Edit ${brand.name}`} onClick={() => onEdit(brand)}>
        Edit…
      </Button>
    ),
  };
  return [...columns, edit];
}

function BrandName({ brand: { name, slug, is_default, double_opt_in } }: { readonly brand: Brand }): ReactNode {
  return (
    <>
      <Group gap={8} wrap="nowrap">
        <Text inherit fw={500} truncate title={name}>
          {name}
        </Text>
        {is_default ? (
          <Badge size="sm" style={{ flex: 'none' }} title="Used when a request names no brand">
            Default
          </Badge>
        ) : null}
        {double_opt_in ? (
          <Badge size="sm" color="gray" style={{ flex: 'none' }} title="New contacts are asked to confirm">
            Double opt-in
          </Badge>
        ) : null}
      </Group>
      <Text size="xs" c="dimmed" ff="monospace" truncate>
        {slug}
      </Text>
    </>
  );
}

function Sender({ brand: { from_email, is_verified } }: { readonly brand: Brand }): ReactNode {
  if (from_email === null) return <Status value="no sender" tone="bad" />;
  return (
    <Group gap={8} wrap="nowrap">
      <Text inherit truncate title={from_email}>
        {from_email}
      </Text>
      {is_verified ? null : (
        <DomainLink host={hostOf(from_email)}>
          <Status value="not verified" tone="warning" />
        </DomainLink>
      )}
    </Group>
  );
}
