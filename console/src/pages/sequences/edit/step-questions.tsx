import type { ReactNode } from 'react';
import { DeleteFork } from './delete-fork.tsx';
import { EndHere } from './end-here.tsx';
import { type GraphDraft, withoutNodes } from './graph-draft.ts';
import type { StepChanges } from './use-step-changes.ts';

interface Given {
  readonly draft: GraphDraft;
  readonly steps: StepChanges;
}

/** Asks what becomes of steps that a change would leave without a way from the start. */
export function StepQuestions({ draft, steps: { question, closeQuestion, take, leave } }: Given): ReactNode {
  const ending = question && 'ending' in question ? question.ending : undefined;
  const deleting = question && 'deleting' in question ? question.deleting : undefined;
  return (
    <>
      <DeleteFork
        draft={draft}
        id={deleting}
        onClose={closeQuestion}
        onDelete={(left) => {
          if (deleting !== undefined) leave(deleting, left);
          closeQuestion();
        }}
      />
      <EndHere
        behind={ending?.behind}
        onClose={closeQuestion}
        onEnd={() => {
          if (ending) take({ ...ending, draft: withoutNodes(ending.draft, ending.behind) });
          closeQuestion();
        }}
      />
    </>
  );
}
