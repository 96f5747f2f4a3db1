import { ActionIcon, Alert, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { FEWEST_VARIANTS, LONGEST_SUBJECT, MOST_VARIANTS } from '../../api/limits.ts';
import { Panel } from '../../frame/detail.tsx';
import { percent } from '../../show/percent.ts';
import { keyProblem, newVariant, type ProblemOf, sameVariants, type VariantDraft } from './campaign-draft.ts';
import classes from './campaigns.module.css';
import { sameSubjectWords } from './launch-warnings.ts';
import type { TestDraft, Tested } from './test-draft.ts';
import { TestFields } from './test-fields.tsx';
import { FEWEST_SENT } from './variant-difference.ts';

interface Given {
  readonly variants: readonly VariantDraft[];
  /** The campaign's, which a variant without one has. */
  readonly subject: string;
  readonly problemOf: ProblemOf;
  readonly onChange: (variants: readonly VariantDraft[]) => void;
  /** How a winner is found; undefined: none can be. */
  readonly test?: Tested;
  readonly onTest?: (change: Partial<TestDraft>) => void;
}

/** The arms of a test of subjects, or the offer of one. */
export function VariantsEditor({ variants, subject, problemOf, onChange, test, onTest }: Given): ReactNode {
  const add = (): void => onChange([...variants, newVariant(variants)]);
  const [isBegun, setIsBegun] = useState(false);
  const begin = (): void => {
    setIsBegun(true);
    const first = newVariant([]);
    onChange([first, newVariant([first])]);
  };
  if (variants.length === 0) {
    return (
      <Panel title="A/B test">
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            Compare up to {MOST_VARIANTS} subjects: each recipient gets one of them, by chance. The results compare them, from {FEWEST_SENT}{' '}
            emails per variant on{onTest ? ', and the better one can go to the rest' : ''}.
          </Text>
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={begin}>
            Test subjects
          </Button>
        </Group>
      </Panel>
    );
  }
  const change = (changed: VariantDraft): void => onChange(variants.map((one) => (one.id === changed.id ? changed : one)));
  const remove = (id: string): void => onChange(variants.length > FEWEST_VARIANTS ? variants.filter((one) => one.id !== id) : []);
  const same = sameVariants({ variants, subject });
  const weights = variants.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <Panel title="A/B test">
      <Stack gap="sm">
        {variants.map((variant, index) => (
          <VariantFields
            key={variant.id}
            variant={variant}
            number={index + 1}
            isFocused={isBegun && index === 0}
            keyFault={keyProblem(variant, variants)}
            share={weights > 0 ? percent(variant.weight, weights) : undefined}
            hasWeight={!test || test.testBy === 'none'}
            problemOf={(field) => problemOf(`variants[${index}].${field}`)}
            onChange={change}
            onRemove={() => remove(variant.id)}
          />
        ))}
        {same.length > 0 ? (
          <Alert color="orange" role="status">
            {sameSubjectWords(same)}
          </Alert>
        ) : null}
        {test && onTest ? <TestFields test={test} variants={variants} problemOf={problemOf} onChange={onTest} /> : null}
        {variants.length < MOST_VARIANTS ? (
          <Button variant="default" w="fit-content" leftSection={<IconPlus size={14} />} onClick={add}>
            Add variant
          </Button>
        ) : null}
      </Stack>
    </Panel>
  );
}

interface FieldsGiven {
  readonly variant: VariantDraft;
  readonly number: number;
  /** It has come with a press of a button that is no more. */
  readonly isFocused: boolean;
  readonly keyFault: string | undefined;
  /** Of the recipients; undefined: none of them has any. */
  readonly share: string | undefined;
  /** Else each has the same share. */
  readonly hasWeight: boolean;
  readonly problemOf: ProblemOf;
  readonly onChange: (changed: VariantDraft) => void;
  readonly onRemove: () => void;
}

function VariantFields({ variant, number, isFocused, keyFault, share, hasWeight, problemOf, onChange, onRemove }: FieldsGiven): ReactNode {
  return (
    <fieldset className={classes.variant} aria-label={`Variant ${number}`}>
      <TextInput
        label="Key"
        required
        maxLength={32}
        value={variant.key}
        error={keyFault ?? problemOf('key')}
        onChange={(event) => onChange({ ...variant, key: event.currentTarget.value })}
      />
      <TextInput
        data-content
        className={classes.variantSubject}
        label="Subject"
        maxLength={LONGEST_SUBJECT}
        placeholder="The campaign's subject"
        autoFocus={isFocused}
        value={variant.subject}
        error={problemOf('subject')}
        onChange={(event) => onChange({ ...variant, subject: event.currentTarget.value })}
      />
      {hasWeight ? (
        <NumberInput
          label="Weight"
          required
          min={0}
          max={1_000_000}
          clampBehavior="strict"
          value={variant.weight}
          error={problemOf('weight')}
          description={share}
          onChange={(weight) => onChange({ ...variant, weight: Number(weight) || 0 })}
        />
      ) : null}
      <ActionIcon mt={24} onClick={onRemove} aria-label={`Remove variant ${number}`}>
        <IconTrash size={15} />
      </ActionIcon>
    </fieldset>
  );
}
