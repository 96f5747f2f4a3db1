import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../../frame/detail.tsx';
import { Status } from '../../../show/status.tsx';
import { Time } from '../../../show/time.tsx';
import { templateHref } from '../template-queries.ts';
import { languageWords } from './language-names.ts';
import { stateOf, type TemplateLanguage } from './language-queries.ts';
import classes from './languages.module.css';

interface Given {
  readonly templateKey: string;
  readonly brand: string | undefined;
  readonly languages: readonly TemplateLanguage[];
}

/** What there is of each language, and what there is not. */
export function LanguagesPanel({ templateKey, brand, languages }: Given): ReactNode {
  if (languages.length < 2) return null;
  return (
    <Panel title="Languages" flush>
      <Table aria-label="Languages" className={classes.table}>
        <Table.Thead>
          <Table.Tr c="dimmed" fz="xs">
            {['Language', 'Status', 'Published', 'Draft'].map((name) => (
              <Table.Th key={name} fw={500}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {languages.map((language) => {
            const { word, tone } = stateOf(language);
            return (
              <Table.Tr key={language.locale ?? ''}>
                <Table.Th scope="row" fw={400}>
                  <Anchor component={Link} href={templateHref(templateKey, brand, language.locale)} inherit>
                    {languageWords(language.locale)}
                  </Anchor>
                </Table.Th>
                <Table.Td>
                  <Status value={word} tone={tone} />
                </Table.Td>
                <Saved of={language.published} />
                <Saved of={language.draft} />
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function Saved({ of }: { readonly of: TemplateLanguage['draft'] }): ReactNode {
  return (
    <Table.Td>
      {of ? (
        <Time at={of.created_at} />
      ) : (
        <Text span inherit c="dimmed">
          –
        </Text>
      )}
    </Table.Td>
  );
}
