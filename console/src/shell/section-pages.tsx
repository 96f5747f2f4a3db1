import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useStore } from '../api/store.ts';
import { Page } from '../frame/page.tsx';
import type { Section } from '../pages/index.ts';
import { Empty } from '../show/empty.tsx';

/** The pages of a section, or of all; at once when its code is there. */
export function SectionPages({ section: { label, pages } }: { readonly section: Pick<Section, 'label' | 'pages'> }): ReactNode {
  const code = useStore(pages.code);
  useEffect(() => void pages.load(), [pages]);
  if (code.state === 'loaded') {
    const { default: Pages } = code.module;
    return <Pages />;
  }
  if (code.state === 'waiting') return <Loader role="status" m="xl" aria-label="Loading" />;
  return (
    <Page title={label}>
      <Empty
        title="This page did not load"
        text="The connection was lost, or Everpost was updated while the console was open. Reload when it is back."
        action={
          <Button mt="sm" variant="default" onClick={() => window.location.reload()}>
            Reload
          </Button>
        }
      />
    </Page>
  );
}
