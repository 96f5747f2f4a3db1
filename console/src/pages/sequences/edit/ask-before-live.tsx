import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Clamped } from '../../../show/clamped.tsx';
import { nodeWords } from '../graph/node-words.ts';
import { stepChoices } from '../graph/step-choices.ts';
import type { ChangedStep, ListedVersion, Migrate, SequenceGraph } from '../sequence-queries.ts';
import type { SaveQuestion, SavingGraph } from './use-save-graph.ts';

/** Of more, those that are left are counted together. */
const MOST_NAMED = 3;

const STAY = 'stay';
const END = 'end';
/** Before the id of a step. */
const MOVE = 'move:';

interface Given {
  /** As it is saved now: what the new one removes has its name there. */
  readonly base: SequenceGraph;
  readonly saving: SavingGraph;
}

/** Before a sequence is saved in which runs are under way: who stays on what they began with, who gets what is saved, and what becomes of those at a step that is gone. */
export function AskBeforeLive({ base, saving }: Given): ReactNode {
  const { question, answer } = saving;
  const close = (): void => answer(false);
  const title = `Save changes to ${base.name}?${question?.isLive === false ? '' : ' It is live'}`;
  return (
    <Modal opened={question !== undefined} onClose={close} title={<Clamped>{title}</Clamped>}>
      {question ? <Question base={base} question={question} onClose={close} onSave={(migrate) => answer(true, migrate)} /> : null}
    </Modal>
  );
}

interface QuestionGiven extends Pick<Given, 'base'> {
  readonly question: SaveQuestion;
  readonly onClose: () => void;
  readonly onSave: (migrate: Migrate | undefined) => void;
}

function Question({ base, question: { draft, staying, affected, version }, onClose, onSave }: QuestionGiven): ReactNode {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const migrate = migrateOf(chosen);
  const choices = [
    { value: STAY, label: 'Stay on their version' },
    { value: END, label: 'End their run' },
    ...stepChoices(draft).map(({ value, label }) => ({ value: `${MOVE}${value}`, label: `Move to: ${label}` })),
  ];
  return (
    <Stack gap="md">
      <Text size="sm">
        {migrate ? `All others stay on their version, new contacts get version ${version + 1}.` : liveWords(staying, version + 1)}
      </Text>
      {affected.map((step) => (
        <Select
          key={step.nodeId}
          label={standingWords(step)}
          description={stepWords(base, step.nodeId)}
          inputWrapperOrder={['label', 'description', 'input']}
          data={choices}
          value={chosen[step.nodeId] ?? STAY}
          allowDeselect={false}
          searchable={choices.length > 10}
          onChange={(choice) => setChosen({ ...chosen, [step.nodeId]: choice ?? STAY })}
        />
      ))}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Keep editing
        </Button>
        <Button onClick={() => onSave(migrate)} data-autofocus>
          Save version {version + 1}
        </Button>
      </Group>
    </Stack>
  );
}

/** Like `12 people are at a step that this removes`. */
function standingWords({ people, change }: ChangedStep): string {
  const who = people === 1 ? '1 person is' : `${people.toLocaleString('en')} people are`;
  return `${who} at a step that this ${change === 'removed' ? 'removes' : 'changes'}`;
}

function stepWords({ nodes, triggers }: SequenceGraph, nodeId: string): string {
  const node = nodes.find(({ id }) => id === nodeId);
  return node ? nodeWords(node, triggers) : nodeId;
}

/** undefined: all stay. */
function migrateOf(chosen: Readonly<Record<string, string>>): Migrate | undefined {
  const moved = Object.entries(chosen).filter(([, choice]) => choice !== STAY);
  if (moved.length === 0) return undefined;
  return Object.fromEntries(moved.map(([nodeId, choice]) => [nodeId, choice === END ? null : choice.slice(MOVE.length)]));
}

/** Like `23 stay on version 1, new people get version 2.` */
function liveWords(staying: readonly ListedVersion[], next: number): string {
  const named = staying.slice(0, MOST_NAMED);
  const others = staying.slice(MOST_NAMED).reduce((sum, { active }) => sum + active, 0);
  const stay = named.map(({ version, active }, index) => {
    const count = active.toLocaleString('en');
    return index === 0 ? `${count} ${active === 1 ? 'stays' : 'stay'} on version ${version}` : `${count} on version ${version}`;
  });
  return [...stay, ...(others > 0 ? [`${others.toLocaleString('en')} on earlier versions`] : []), `new contacts get version ${next}.`].join(
    ', ',
  );
}
