import { NumberInput, Select, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MOST_TEST_HOURS } from '../../api/limits.ts';
import type { ProblemOf, VariantDraft } from './campaign-draft.ts';
import { largestShare, type TestDraft, type Tested, testFaults } from './test-draft.ts';
import { FEWEST_SENT } from './variant-difference.ts';

const CHOICES: readonly { readonly value: TestDraft['testBy']; readonly label: string }[] = [
  { value: 'none', label: 'No winner: everybody gets one of them' },
  { value: 'opens', label: 'Most opens' },
  { value: 'clicks', label: 'Most clicks' },
  { value: 'goal', label: 'Most conversions of the goal' },
  { value: 'hand', label: 'Chosen by hand' },
];

interface Given {
  readonly test: Tested;
  readonly variants: readonly VariantDraft[];
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<TestDraft>) => void;
}

/** Whether the variants are tried on a part, and what the rest gets. */
export function TestFields({ test, variants, problemOf, onChange }: Given): ReactNode {
  const faults = testFaults(test);
  const wrongAt = (path: string): string | undefined => faults[path] ?? problemOf(path);
  const isTested = test.testBy !== 'none';
  const rest = 100 - (test.testShare ?? 0) * variants.length;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: isTested ? 2 : 1 }} spacing="sm">
        <Select
          label="Winner"
          data={[...CHOICES]}
          allowDeselect={false}
          value={test.testBy}
          error={wrongAt('test.decideBy')}
          onChange={(testBy) => onChange({ testBy: (testBy as TestDraft['testBy'] | null) ?? 'none' })}
        />
        {isTested ? (
          <>
            <NumberInput
              label="Share of each variant"
              suffix=" %"
              required
              clampBehavior="none"
              description={rest > 0 ? `The other ${rest} % wait for the winner` : `At most ${largestShare(variants.length)} %`}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={test.testShare ?? ''}
              error={wrongAt('test.share')}
              onChange={(share) => onChange({ testShare: typeof share === 'number' ? share : null })}
            />
            <NumberInput
              label={test.testBy === 'hand' ? 'Hours until the default goes' : 'Hours until the decision'}
              required={test.testBy !== 'hand'}
              clampBehavior="none"
              description={`After the last email of the test, up to ${MOST_TEST_HOURS}`}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={test.testHours ?? ''}
              error={wrongAt('test.afterHours')}
              onChange={(hours) => onChange({ testHours: typeof hours === 'number' ? hours : null })}
            />
            <Select
              label="Default"
              description="Goes where the test does not tell"
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data={variants
                .filter(({ key }, index) => key && variants.findIndex((one) => one.key === key) === index)
                .map(({ key }) => key)}
              placeholder={variants[0]?.key}
              clearable
              value={test.testDefault || null}
              error={wrongAt('test.default')}
              onChange={(testDefault) => onChange({ testDefault: testDefault ?? '' })}
            />
          </>
        ) : null}
      </SimpleGrid>
      {isTested && test.testBy !== 'hand' ? (
        <Text size="xs" c="dimmed">
          The better variant wins only where its lead is more than chance, which takes {FEWEST_SENT} emails of each at least; else the
          default goes.
        </Text>
      ) : null}
    </>
  );
}
