import { createHash } from 'node:crypto'
import { event } from '@farhand/protocol/events/event-names'
import type { NewRunner, RunnerGrant } from '@farhand/protocol/schemas/api'
import type { RunId } from '@farhand/protocol/wire/ids'
import { z } from 'zod'
import { runnerToken } from '../access/runner-token.ts'
import type { Secret } from '../access/secret.ts'
import type { EventLog } from '../log/event-log.ts'
import { decodeLine } from '../log/stored-line.ts'
import { admitted } from './inbox.ts'
import { type HasRunner, whyElsewhere, whyNotNow, whyTaken } from './move-run.ts'

const Begun = z.object({ generation: z.number(), previousSeq: z.number().nullable() })

/**
 * Makes the next generation the run's only writer. Once this resolves the older one is fenced: the new start is in the log before its
 * token exists (W8). The same key gives the same generation again. With `after`, it is refused unless that is the current generation;
 * with `after` and no sandbox it also moves the run to a device (W46), in the same event.
 */
export async function beginGeneration(
  log: EventLog,
  secret: Secret,
  run: RunId,
  asked: NewRunner,
  key: string | undefined,
  hasRunner: HasRunner = () => false,
): Promise<RunnerGrant> {
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
  const isMove = asked.after !== undefined && asked.sandboxId === undefined
  const { ids } = await log.append(run, (head) => {
    const params = {
      sandboxId: asked.sandboxId ?? null,
      generation: head.view.generation + 1,
      previousSeq: head.runnerSeq,
      ...(isMove && { sandbox: 'none' }),
    }
    const { after } = asked
    const refusal =
      after === undefined
        ? null
        : isMove
          ? whyNotNow(head.view, after, hasRunner)
          : (whyTaken(head.view, after) ?? whyElsewhere(head.view))
    return admitted(
      {
        by: { kind: 'hub' },
        notifications: [event('session_start', params)],
        ...(refusal && { refusal }),
        ...(key === undefined
          ? {}
          : { key: { key: `runner/${digest(key)}`, body: digest(JSON.stringify(asked)) } }),
      },
      head,
    )
  })
  const line = await log.read(run, ids[0]! - 1, 1)
  const stored = decodeLine(line!.bytes.toString())
  const { generation, previousSeq } = Begun.parse(stored?.notification.params)
  return { token: runnerToken(secret, run, generation), generation, previousSeq }
}
