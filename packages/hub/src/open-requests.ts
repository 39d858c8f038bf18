import type { UserId } from '@farhand/protocol/wire/ids'
import type { Secret } from './access/secret.ts'
import { DeviceAnswers } from './collab/device-answers.ts'
import { DeviceLines, type LineHolder, tickMs } from './collab/device-lines.ts'
import { MemoryPresence } from './collab/presence.ts'
import { Requests } from './collab/requests.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import { beginGeneration } from './runs/begin-generation.ts'

type Parts = Pick<HubParts, 'db' | 'log' | 'logger' | 'look' | 'agentsHere' | 'refusal' | 'runChanges'> & {
  secret: Secret
  now?: () => Date
}

const expireMs = 60_000

/** Opens what connects the devices of users, and carries their requests. `start` goes on with those of an earlier hub. */
export function openRequests({ db, log, logger, secret, ...parts }: Parts, undo: (() => unknown)[]) {
  const onError = (err: unknown) =>
    logger.error({ err }, 'handling a request failed; it goes on when the hub or the device tries again')
  const presence = new MemoryPresence()
  const lines: DeviceLines = new DeviceLines({
    presence,
    onError,
    came: (holder: LineHolder) => answers.came(holder),
    frame: (holder, frame) => answers.frame(holder, frame),
  })
  const requests = new Requests({
    db,
    log,
    lines,
    look: parts.look,
    onError,
    ...(parts.now && { now: parts.now }),
  })
  const begin = async (run: Parameters<typeof beginGeneration>[2], key: string) =>
    (await beginGeneration(log, secret, run, {}, key)).generation
  const answers = new DeviceAnswers({ db, log, requests, lines, begin })
  const refusal = async (user: UserId) =>
    (await parts.refusal({ owner: user, sandbox: null, terms: undefined }))?.why ?? null
  const collab = {
    ...{ db, requests, presence, lines, refusal },
    agentsHere: parts.agentsHere,
    touched: parts.runChanges.touched.bind(parts.runChanges),
  }
  const start = async () => {
    const timers = [
      setInterval(() => lines.tick(), tickMs),
      setInterval(() => requests.expire().catch(onError), expireMs),
    ]
    for (const timer of timers) timer.unref()
    undo.push(() => timers.forEach(clearInterval))
    undo.push(() => requests.stop())
    await requests.start()
  }
  return { collab, start }
}
