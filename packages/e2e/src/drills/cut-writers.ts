import { post } from '@farhand/client/post/post'
import { Producer } from '@farhand/client/post/producer'
import type { Hub } from '@farhand/client/requests/hub'
import { sleep } from '@farhand/kit/sleep'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { Dice } from '@farhand/testkit/dice'

const impatient = { answerMs: 300, backoff: { firstMs: 5, maxMs: 50 } }

/** What was acknowledged, under which id. */
export type Acknowledged = { id: number; notification: Notification }[]

/** A runner that writes in batches until it is told to stop; what it has begun to send it sends, until all is over. */
export async function writeAsRunner(
  hub: Hub,
  at: RunAddress,
  epoch: number,
  { stop, over: signal }: { stop: AbortSignal; over: AbortSignal },
): Promise<Acknowledged> {
  const producer = new Producer(hub, at, { id: 'runner', epoch, ...impatient, signal })
  const dice = new Dice(1)
  const acknowledged: Acknowledged = []
  for (let n = 0; !stop.aborted; ) {
    const batch = Array.from({ length: dice.between(1, 80) }, () => chunk(n++, dice))
    const ids = await producer.send(batch)
    batch.forEach((notification, nth) => {
      acknowledged.push({ id: ids[nth]!, notification })
    })
    await sleep(dice.between(0, 20))
  }
  return acknowledged
}

/**
 * A device that keeps writing notes, each after the last has arrived. They are no messages to the agent: the drill has no
 * agent to answer, and a run has room for only a thousand open messages.
 */
export async function writeAsDevice(hub: Hub, at: RunAddress, stop: AbortSignal): Promise<Acknowledged> {
  const acknowledged: Acknowledged = []
  for (let n = 0; !stop.aborted; n++) {
    const content = `note ${n} of ${hub.deviceId}`
    const notification: Notification = {
      jsonrpc: '2.0',
      method: '_drill/note',
      params: { content },
    }
    const { lastEventId } = await post(hub, at, notification, impatient)
    acknowledged.push({ id: lastEventId, notification })
    await sleep(10)
  }
  return acknowledged
}

/** Letters of several bytes, so that a cut falls into the middle of one. */
function chunk(n: number, dice: Dice): Notification {
  const text = `${n}: ${'grüße 🙂 '.repeat(dice.between(0, 40))}`
  return { jsonrpc: '2.0', method: 'agent_message_chunk', params: { text } }
}
