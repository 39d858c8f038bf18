import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLog } from '@farhand/client/follow/read-log'
import { closeRun } from '@farhand/client/resources/resources'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'
import { countedWords, wordsAppended, writeScript } from './script.ts'
import type { Stage } from './stage.ts'
import { type Judged, judgeTurns } from './turn-rules.ts'

const mostWaiting = 4
const patienceMs = 300_000

/** Lets a person talk to an agent while everything dies and comes back, and judges what the log says of it at the end. */
export async function turnDrill(
  stage: Stage,
  seed: number,
  steps: number,
): Promise<Judged & { events: SeenEvent[] }> {
  const dice = new Dice(seed)
  const words = countedWords()
  const { talker } = stage
  for (let step = 0; step < steps; step += 1) {
    await talker.until('room', ({ unacked }) => unacked.flat().length < mostWaiting, patienceMs)
    await act(stage, dice, () => writeScript(dice, words))
    await sleep(dice.between(0, 500))
    if (stage.ended) throw new Error(stage.ended)
  }
  await talker.settled()
  const isIdle = () => talker.view.unacked.flat().length + talker.view.openTurns.length === 0
  await talker.until('the end of the last turn', isIdle, patienceMs)
  stage.expectEnd()
  const runnerEnd = stage.runner.gone()
  await closeRun(stage.hub, stage.at)
  await talker.over
  const code = await runnerEnd
  const events: SeenEvent[] = []
  for await (const event of readLog(stage.hub, stage.at)) events.push(event)
  const { messages, wrongs } = judgeTurns(events)
  if (code !== 0) wrongs.push(`the runner ended with ${code}: ${stage.runner.complaints.slice(-1000)}`)
  return { events, messages, wrongs: [...wrongs, ...wrongLines(stage, messages)] }
}

async function act(stage: Stage, dice: Dice, script: () => string): Promise<void> {
  const { talker } = stage
  const throwOf = dice.next()
  const waiting = talker.view.unacked.flat().at(-1)
  if (throwOf < 0.3) await stage.strike(dice)
  else if (throwOf < 0.36) talker.sayMeanwhile('_posthog/cancel')
  else if (throwOf < 0.44 && waiting !== undefined)
    talker.sayMeanwhile('_posthog/message_edit', { messageId: waiting, content: script() })
  else if (throwOf < 0.52 && waiting !== undefined)
    talker.sayMeanwhile('_posthog/message_edit', { messageId: waiting, content: null })
  else {
    const when = dice.chance(0.25) ? 'steer' : 'queue'
    talker.sayMeanwhile('_posthog/user_message', { content: script(), when })
  }
}

/** What was done to a file, against how often the agent was sent to do it. */
function wrongLines(stage: Stage, messages: Judged['messages']): string[] {
  const lines = linesOf(join(stage.workspace, 'log.txt'))
  return messages.flatMap(({ id, content, isWithdrawn, attempts, stopReason }) =>
    wordsAppended(content).flatMap((word) => {
      const times = lines.filter((line) => line === word).length
      const least = stopReason === 'end_turn' ? 1 : 0
      const most = isWithdrawn ? 0 : attempts.length
      return times < least || times > most ? [`message ${id}: ${word} is in log.txt ${times} times`] : []
    }),
  )
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // Chance may have it that nothing was ever appended.
    return []
  }
}
