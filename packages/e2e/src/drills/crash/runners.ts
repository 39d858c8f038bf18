import { RunnerGrant } from '@farhand/protocol/schemas/api'
import { paths } from '@farhand/protocol/wire/routes'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'
import { StampedWriter, show } from './stamped-writer.ts'
import { watchAsRunner } from './witness.ts'

const triesWhenFenced = 5

/** One runner after the other; each goes on writing for a while after the next one has begun (W8). */
export async function writeAsRunners(stage: Stage): Promise<void> {
  const dice = stage.dice.fork()
  let current: StampedWriter | null = null
  for (let generation = 1; !stage.closing; generation += 1) {
    if (current) current.rivalled = true
    const { token } = await begin(stage, generation, dice.chance(0.2))
    if (current) current.stale = true
    current = new StampedWriter(stage, {
      name: `runner ${generation}`,
      method: 'agent_message_chunk',
      producer: 'runner',
      epoch: generation,
      token,
    })
    stage.cast('writers', live(stage, current))
    stage.cast('readers', watchAsRunner(stage, current, token))
    await stage.pause(dice.between(30, 500))
  }
}

async function live(stage: Stage, writer: StampedWriter): Promise<void> {
  const dice = stage.dice.fork()
  for (let refused = 0; refused < triesWhenFenced && (writer.rivalled || !stage.closing); ) {
    if (!(await writer.write())) refused += 1
    else if (dice.chance(0.02)) await writer.leaveGap()
  }
  await writer.finish()
}

async function begin(stage: Stage, generation: number, twice: boolean): Promise<RunnerGrant> {
  const headers = { 'Idempotency-Key': `generation-${generation}` }
  for (;;) {
    const answer = await stage.call({ method: 'POST', path: paths.runner(stage.at), headers, body: '{}' })
    if (answer === 'lost' || answer.status === 503) continue
    if (answer.status !== 201) throw new BrokenPromise(`generation ${generation} was begun: ${show(answer)}`)
    const grant = RunnerGrant.parse(JSON.parse(answer.text))
    if (grant.generation !== generation) throw new BrokenPromise(`asked for ${generation}: ${show(answer)}`)
    stage.ledger.wasGranted(generation, grant.previousSeq)
    if (!twice) return grant
    twice = false
  }
}
