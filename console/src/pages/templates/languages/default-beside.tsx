import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../frame/detail.tsx';
import { ContentFacts } from '../content-words.tsx';
import type { TemplateContent } from '../template-queries.ts';
import classes from './languages.module.css';

interface Given {
  readonly subject: string;
  readonly content: TemplateContent;
}

/** What the default says, to be read while another language is written. */
export function DefaultBeside({ subject, content }: Given): ReactNode {
  return (
    <section className={classes.default} aria-label="Default">
      <Panel title="Default">
        <Stack gap="sm">
          <ContentFacts subject={subject} content={content} />
        </Stack>
      </Panel>
    </section>
  );
}
