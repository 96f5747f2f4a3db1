import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { LONGEST_NAME, LONGEST_TOPIC_DESCRIPTION } from '../../api/limits.ts';
import { FormEnd, useForm } from '../../frame/form.tsx';
import { slugFault } from '../../frame/slug-fault.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { notifyDone } from '../../show/notify.ts';
import { TOPICS, type Topic } from './topic-queries.ts';

interface Given {
  /** What is changed; undefined: one is made. */
  readonly topic: Topic | undefined;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const NEW: Topic = { key: '', name: '', description: '', defaultOn: true, public: true };

/** A topic in a dialog. */
export function TopicForm({ topic, taken, onClose }: Given): ReactNode {
  const queries = useQueryClient();
  const [first] = useState(topic ?? NEW);
  const [draft, setDraft] = useState(first);
  const set = (part: Partial<Topic>): void => setDraft({ ...draft, ...part });
  const { key, ...fields } = { ...draft, key: draft.key.trim(), name: draft.name.trim(), description: draft.description.trim() };
  const save = useMutation({
    mutationFn: () =>
      topic
        ? answerOf(api.PATCH('/topics/{key}', { params: { path: { key } }, body: fields }))
        : answerOf(api.POST('/topics', { body: { key, ...fields } })),
    onSuccess: async ({ topic: saved }) => {
      onClose();
      notifyDone(`${saved.name} saved`);
      await queries.invalidateQueries({ queryKey: TOPICS });
    },
  });
  const isChanged = (Object.keys(draft) as (keyof Topic)[]).some((name) => draft[name] !== first[name]);
  const { props, errorOf, close } = useForm({
    faults: {
      key: topic ? undefined : slugFault(key, taken, { thing: 'topic', called: 'key' }),
      name: fields.name ? undefined : 'Enter a name',
    },
    error: save.error,
    isPending: save.isPending,
    isUnsaved: isChanged && !save.isSuccess,
    onSubmit: save.mutate,
  });
  return (
    <form {...props}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What people see when they choose"
          placeholder="Monthly newsletter"
          required
          data-autofocus
          maxLength={LONGEST_NAME}
          value={draft.name}
          error={errorOf('name')}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        {topic ? null : (
          <TextInput
            label="Key"
            description="Its name in the API. It cannot be changed later"
            placeholder="newsletter"
            required
            value={draft.key}
            error={errorOf('key')}
            onChange={(event) => set({ key: event.currentTarget.value })}
          />
        )}
        <Textarea
          label="Description"
          description="What it is and how often it comes. Shown below the name"
          autosize
          minRows={2}
          maxLength={LONGEST_TOPIC_DESCRIPTION}
          value={draft.description}
          error={errorOf('description')}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <Checkbox
          label="On for people who have not chosen"
          description={topic ? 'A change counts from the next email on' : undefined}
          size="sm"
          checked={draft.defaultOn}
          onChange={(event) => set({ defaultOn: event.currentTarget.checked })}
        />
        <Checkbox
          label="Offer it to everyone on the preferences page"
          description="Otherwise only people who get it see it there"
          size="sm"
          checked={draft.public}
          onChange={(event) => set({ public: event.currentTarget.checked })}
        />
        {save.error ? <FailureNotice error={save.error} /> : null}
        <FormEnd action={topic ? 'Save' : 'Add topic'} isPending={save.isPending} disabled={!isChanged} onCancel={close} />
      </Stack>
    </form>
  );
}
