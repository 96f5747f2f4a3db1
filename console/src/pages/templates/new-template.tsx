import { Button, SegmentedControl, SimpleGrid, Space, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { answerOf, api } from '../../api/client.ts';
import { Panel } from '../../frame/detail.tsx';
import { useForm } from '../../frame/form.tsx';
import { keyOf } from '../../frame/key-of.ts';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TEMPLATES, type Template } from './template-queries.ts';
import { declared, type VariableDraft, variableFaults } from './variables-draft.ts';
import { VariablesEditor } from './variables-editor.tsx';

const FORM = 'new-template';
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Makes a template of one's own, with a heading and a text to begin with. */
export function NewTemplate(): ReactNode {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [typedKey, setTypedKey] = useState<string>();
  const [type, setType] = useState<Template['type']>('marketing');
  const [name, setName] = useState('');
  const key = typedKey ?? keyOf(name);
  const [description, setDescription] = useState('');
  const [subject, setSubject] = useState('');
  const [variables, setVariables] = useState<readonly VariableDraft[]>([]);
  const create = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/templates', {
          body: {
            ...{ key: key.trim(), type, name: name.trim(), subject },
            ...(description.trim() ? { description: description.trim() } : {}),
            ...(variables.length > 0 ? { dataSchema: declared(variables) } : {}),
            content: {
              blocks: [
                { type: 'heading', text: name.trim() },
                { type: 'text', text: 'What you have to say.' },
              ],
            },
          },
        }),
      ),
    onSuccess: async (made) => {
      notifyDone(`${made.key} is made; it is off until you enable it`);
      await queries.invalidateQueries({ queryKey: TEMPLATES });
      navigate(`/${encodeURIComponent(made.key)}`, { replace: true });
    },
  });
  const keyFault = key !== '' && !KEY.test(key.trim()) ? 'Letters, digits, dots, dashes and underscores' : undefined;
  const { props, errorOf: problemOf } = useForm({
    faults: {
      name: name.trim() ? undefined : 'Fill in the name',
      key: key.trim() ? keyFault : 'Fill in the key',
      subject: subject.trim() ? undefined : 'Fill in the subject',
      ...variableFaults(variables),
    },
    error: create.error,
    isPending: create.isPending,
    isUnsaved: Boolean(key || name || description || subject || variables.length > 0),
    onSubmit: create.mutate,
  });
  return (
    <Page
      title="New template"
      isLong
      back={{ to: '/', label: 'Templates' }}
      actions={
        <Button type="submit" form={FORM} loading={create.isPending}>
          Create template
        </Button>
      }
    >
      {create.error ? <FailureNotice error={create.error} /> : null}
      <form id={FORM} {...props}>
        <Panel title="Template">
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              <TextInput
                label="Name"
                maxLength={200}
                placeholder="Invitation to the beta"
                value={name}
                error={problemOf('name')}
                onChange={(event) => setName(event.currentTarget.value)}
                required
                autoFocus
              />
              <TextInput
                label="Key"
                placeholder="beta-invitation"
                description="How the API names it; it stays"
                value={key}
                required
                error={keyFault ?? problemOf('key')}
                onChange={(event) => setTypedKey(event.currentTarget.value)}
              />
            </SimpleGrid>
            <div>
              <SegmentedControl
                size="xs"
                aria-label="Type"
                data={[
                  { value: 'marketing', label: 'Marketing' },
                  { value: 'transactional', label: 'Transactional' },
                ]}
                value={type}
                onChange={(value) => setType(value as Template['type'])}
              />
              <Text size="xs" c="dimmed" mt={4}>
                {type === 'marketing'
                  ? 'With a link to unsubscribe; not to those who have unsubscribed.'
                  : 'Without a link to unsubscribe; to everybody who is not suppressed.'}
              </Text>
            </div>
            <TextInput
              label="Subject"
              description="Liquid, like {{ contact.first_name }}"
              maxLength={998}
              value={subject}
              required
              error={problemOf('subject')}
              onChange={(event) => setSubject(event.currentTarget.value)}
            />
            <Textarea
              label="Description"
              maxLength={1000}
              autosize
              minRows={2}
              value={description}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
          </Stack>
        </Panel>
        <Space h="md" />
        <VariablesEditor variables={variables} problemOf={problemOf} onChange={setVariables} />
      </form>
    </Page>
  );
}
