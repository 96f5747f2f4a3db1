import { Button, SegmentedControl, SimpleGrid, Space, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LONGEST_NAME, LONGEST_SUBJECT } from '../../api/limits.ts';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { VariablePicker } from './edit/variable-picker.tsx';
import type { Template } from './template-queries.ts';
import { type CopiedTemplate, type TemplateDraft, useNewTemplate } from './use-new-template.ts';
import { declared } from './variables-draft.ts';
import { VariablesEditor } from './variables-editor.tsx';

const FORM = 'new-template';

/** Makes a template of one's own, from nothing or as a copy of another. */
export function NewTemplate({ source }: { readonly source?: CopiedTemplate }): ReactNode {
  const { draft, key, keyFault, create, form, set } = useNewTemplate(source);
  return (
    <Page
      title={source ? `Duplicate ${source.template.name || source.template.key}` : 'New template'}
      isLong
      {...(source ? { description: describeCopy(source) } : {})}
      back={{ to: '/', label: 'Templates' }}
      actions={
        <Button type="submit" form={FORM} loading={create.isPending}>
          Create template
        </Button>
      }
    >
      {create.error ? <FailureNotice error={create.error} /> : null}
      <VariablePicker fields={declared(draft.variables).filter(({ path }) => path)} />
      <form id={FORM} {...form.props}>
        <Panel title="Template">
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              <TextInput
                label="Name"
                maxLength={LONGEST_NAME}
                placeholder="Invitation to the beta"
                value={draft.name}
                error={form.errorOf('name')}
                onChange={(event) => set({ name: event.currentTarget.value })}
                required
                autoFocus
              />
              <TextInput
                label="Key"
                placeholder="beta-invitation"
                description="Used by the API. It cannot be changed later"
                value={key}
                required
                error={keyFault ?? form.errorOf('key')}
                onChange={(event) => set({ typedKey: event.currentTarget.value })}
              />
            </SimpleGrid>
            <TypeChoice type={draft.type} onChange={(type) => set({ type })} />
            <MailFields draft={draft} errorOf={form.errorOf} onChange={set} />
          </Stack>
        </Panel>
        <Space h="md" />
        <VariablesEditor variables={draft.variables} problemOf={form.errorOf} onChange={(variables) => set({ variables })} />
      </form>
    </Page>
  );
}

function describeCopy({ stored, languages }: CopiedTemplate): string {
  const inLanguages = languages.length > 1 ? ', in all languages' : '';
  const what = stored.published && stored.draft ? 'Its published content and its draft are copied' : 'Its content is copied';
  return `${what}${inLanguages}. Nothing is sent with the copy until you turn it on.`;
}

const TYPES: Readonly<Record<Template['type'], string>> = { marketing: 'Marketing', transactional: 'Transactional' };

interface TypeGiven {
  readonly type: Template['type'];
  readonly onChange: (type: Template['type']) => void;
}

/** Whether it is marketing, and what that means for its mails. */
function TypeChoice({ type, onChange }: TypeGiven): ReactNode {
  return (
    <div>
      <SegmentedControl
        size="xs"
        aria-label="Type"
        data={choicesOf(TYPES)}
        value={type}
        onChange={(value) => onChange(value as Template['type'])}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {type === 'marketing'
          ? 'Has an unsubscribe link. Not sent to people who unsubscribed.'
          : 'No unsubscribe link. Sent to everyone who is not suppressed.'}
      </Text>
    </div>
  );
}

interface FieldsGiven {
  readonly draft: TemplateDraft;
  readonly errorOf: (name: string) => string | undefined;
  readonly onChange: (changed: Partial<TemplateDraft>) => void;
}

function MailFields({ draft: { subject, description }, errorOf, onChange }: FieldsGiven): ReactNode {
  return (
    <>
      <TextInput
        data-content
        label="Subject"
        description="Type {{ to insert a variable, such as the contact's first name"
        maxLength={LONGEST_SUBJECT}
        value={subject}
        required
        error={errorOf('subject')}
        onChange={(event) => onChange({ subject: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        maxLength={1000}
        autosize
        minRows={2}
        value={description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  );
}
