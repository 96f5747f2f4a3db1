import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Fact, Facts, Panel } from '../../frame/detail.tsx';
import { CopiedId } from '../../show/copied-id.tsx';
import { laterWords, Moment } from './moments.tsx';
import type { RunWithSteps } from './sequence-queries.ts';

interface Given {
  readonly run: RunWithSteps;
  /** Of its contact; undefined: not read, or the key may not. */
  readonly email: string | undefined;
  /** The version of the sequence now. */
  readonly latest: number;
}

/** Whose run it is, over which version, from when to when. */
export function RunFacts({ run, email, latest }: Given): ReactNode {
  return (
    <Panel title="Run">
      <Facts>
        <Fact name="Contact">
          <Anchor
            component={Link}
            href={inConsole(`/contacts/${run.contact_id}`)}
            inherit
            display="block"
            truncate="end"
            title={email ?? run.contact_id}
          >
            {email ?? run.contact_id}
          </Anchor>
        </Fact>
        <Fact name="Version">
          {run.sequence_version}
          {run.sequence_version === latest ? '' : `, shown here. The current version is ${latest}`}
        </Fact>
        <Fact name="Started">
          <Moment at={run.started_at} />
        </Fact>
        <Fact name="Ended">
          {run.ended_at ? (
            <>
              <Moment at={run.ended_at} />, {laterWords(Date.parse(run.ended_at) - Date.parse(run.started_at))}
            </>
          ) : null}
        </Fact>
        <Fact name="Failed steps">{run.failed_steps}</Fact>
        <Fact name="Id">
          <CopiedId value={run.id} name="run id" />
        </Fact>
      </Facts>
    </Panel>
  );
}
