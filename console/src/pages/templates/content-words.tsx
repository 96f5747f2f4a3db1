import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { scopeOf } from '../../session/operations.ts';
import { BLOCK_KINDS } from './block-fields.ts';
import { type Block, partsOf, type TemplateContent } from './template-queries.ts';
import classes from './templates.module.css';

/** What a template says, to be read: for keys that may not change it. */
export function ContentWords({ content }: { readonly content: TemplateContent }): ReactNode {
  return (
    <Panel title="Content">
      <Stack gap="sm">
        <Text size="sm">This key cannot change the template. It lacks the scope {scopeOf('PUT /templates/{key}/content')}.</Text>
        <ContentFacts content={content} />
      </Stack>
    </Panel>
  );
}

/** A content, block by block, or its MJML. */
export function ContentFacts({ subject, content }: { readonly subject?: string; readonly content: TemplateContent }): ReactNode {
  const { preheader, blocks, mjml } = partsOf(content);
  return (
    <>
      {subject || preheader ? (
        <Facts>
          {subject ? <Fact name="Subject">{subject}</Fact> : null}
          {preheader ? <Fact name="Preheader">{preheader}</Fact> : null}
        </Facts>
      ) : null}
      {mjml === undefined ? <BlockWords blocks={blocks} /> : <pre className={classes.mjml}>{mjml}</pre>}
    </>
  );
}

function BlockWords({ blocks }: { readonly blocks: readonly Block[] }): ReactNode {
  return (
    <ol className={classes.words}>
      {blocks.map((block, index) => {
        const { label, icon: Icon, fields } = BLOCK_KINDS[block.type];
        const values = block as unknown as Readonly<Record<string, unknown>>;
        const said = fields.map((field) => ({ ...field, words: inWords(values[field.name]) })).filter(({ words }) => words !== '');
        return (
          <li key={index}>
            <Text size="xs" fw={500} c="dimmed" mb={4} className={classes.wordsHead}>
              <Icon size={15} stroke={1.7} aria-hidden /> {label}
            </Text>
            <Facts>
              {said.map(({ name, label: of, words }) => (
                <Fact key={name} name={of}>
                  <span className={classes.said}>{words}</span>
                </Fact>
              ))}
              {typeof block.showIf === 'string' ? <Fact name="Shown only if">{block.showIf}</Fact> : null}
            </Facts>
            {block.type === 'columns' ? block.columns.map((column, at) => <BlockWords key={at} blocks={column.blocks} />) : null}
          </li>
        );
      })}
    </ol>
  );
}

/** A value of a block; '' where there is none. */
function inWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(inWords).join('\n');
  // A column of a table.
  if (typeof value === 'object') return Object.values(value).map(inWords).join(': ');
  return String(value);
}
