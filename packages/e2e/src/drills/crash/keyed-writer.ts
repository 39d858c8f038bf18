import { Posted } from '@farhand/protocol/schemas/api'
import { BrokenPromise } from './log-rules.ts'
import type { Stage } from './stage.ts'
import { readFault, show } from './stamped-writer.ts'

type Message = { key: string; text: string; id: number }

/** A writer that sends messages, each under a key of its own, until told that they are stored (W9). */
export async function writeKeyed(stage: Stage, name: string): Promise<void> {
  const dice = stage.dice.fork()
  const told: Message[] = []
  for (let count = 1; !stage.closing; count += 1) {
    const key = `${name}-${count}`
    const text = message(`${key} ${'.'.repeat(dice.between(0, 100))}`)
    const id = await sendUntilStored(stage, name, key, text)
    told.push({ key, text, id })
    const earlier = told[Math.max(0, told.length - dice.between(1, 50))]!
    if (dice.chance(0.2)) await sendAgain(stage, name, earlier)
    if (dice.chance(0.05)) await sendAnother(stage, earlier)
  }
}

// Not a user's message: the drill has no agent to answer, and a run has room for only a thousand open messages.
const message = (content: string) =>
  JSON.stringify({ jsonrpc: '2.0', method: '_drill/note', params: { content } })

const send = (stage: Stage, key: string, body: string) =>
  stage.call({ method: 'POST', path: stage.path, headers: { 'Idempotency-Key': key }, body })

async function sendUntilStored(stage: Stage, name: string, key: string, text: string): Promise<number> {
  for (;;) {
    const answer = await send(stage, key, text)
    if (answer === 'lost' || answer.status === 503) continue
    if (answer.status !== 202) throw new BrokenPromise(`${key} was sent: ${show(answer)}`)
    const id = Posted.parse(JSON.parse(answer.text)).ids[0]!
    stage.ledger.wasPromised(name, id, text)
    return id
  }
}

async function sendAgain(stage: Stage, name: string, { key, text, id }: Message): Promise<void> {
  const again = await sendUntilStored(stage, name, key, text)
  if (again !== id) throw new BrokenPromise(`${key} was event ${id} and is now ${again}`)
}

async function sendAnother(stage: Stage, { key, id }: Message): Promise<void> {
  const answer = await send(stage, key, message('something else'))
  if (answer === 'lost' || answer.status === 503) return
  if (answer.status === 409 && readFault(answer).code === 'key.reused') return
  throw new BrokenPromise(`the key of event ${id} came with another message: ${show(answer)}`)
}
