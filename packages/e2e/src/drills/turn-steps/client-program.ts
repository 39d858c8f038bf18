import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { follow } from '@farhand/client/follow/follow'
import { sendFromOutbox } from '@farhand/client/post/send-from-outbox'
import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import type { Notification } from '@farhand/protocol/wire/event'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { answerTo } from './answer-to.ts'
import type { ClientGiven } from './client-process.ts'
import { FileOutbox, linesOf } from './file-outbox.ts'

const lookEveryMs = 15
const { hub, at, folder } = JSON.parse(process.argv[2]!) as ClientGiven
const outbox = new FileOutbox(folder)
const record = join(folder, 'events.ndjson')

async function listen(): Promise<void> {
  for (;;) {
    const after = Number(linesOf(record).at(-1) ?? 0)
    for await (const event of follow(hub, at, { after, envelope: 'stored' })) await take(event)
    // The run may be opened again.
    await sleep(lookEveryMs)
  }
}

async function take({ id, notification }: SeenEvent): Promise<void> {
  const answer = answerTo(notification)
  // If this process dies between these two lines, it sees the question again, and writes the same answer under the same key.
  if (answer) await outbox.put({ key: `answer-${answer.questionId}`, at, notification: response(answer) })
  appendFileSync(record, `${id}\n`)
}

const response = (params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method: '_posthog/user_response',
  params,
})

async function speak(): Promise<void> {
  for (;;) {
    await sendFromOutbox(hub, at, outbox).catch((why: unknown) => {
      // This process may have been dead while the run was closed, and answer a question of it; the run may be opened again.
      const refusal = why instanceof Unconfirmed ? why.cause : why
      if (!(refusal instanceof Refusal) || refusal.code !== 'run.closed') throw why
    })
    await sleep(lookEveryMs)
  }
}

process.stdout.write('here\n')
await Promise.all([listen(), speak()])
