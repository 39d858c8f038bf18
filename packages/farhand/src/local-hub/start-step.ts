import { exitCodes } from '../errors/exit-codes.ts'

export type StartSeen = {
  answers: boolean
  /** The process that was started last: not yet, at work, or how it ended and how long ago. */
  child: null | 'runs' | { exit: number | null; agoMs: number }
  /** The port that it was told to use. */
  port: 'usual' | 'any'
  waitedMs: number
}

export type StartStep = 'done' | 'wait' | 'start' | 'start-on-any-port' | 'give-up' | 'too-long'

const mostMs = 30_000
const againMs = 500

/** What to do next while the user's own hub is started, perhaps by several at once. */
export function startStep({ answers, child, port, waitedMs }: StartSeen): StartStep {
  if (answers) return 'done'
  if (child === null) return 'start'
  if (child !== 'runs' && child.exit === exitCodes.portTaken.code && port === 'usual')
    return 'start-on-any-port'
  const isOthers = child !== 'runs' && child.exit === exitCodes.alreadyRunning.code
  if (child !== 'runs' && !isOthers) return 'give-up'
  if (waitedMs > mostMs) return 'too-long'
  // Somebody else's may also have been about to stop: then nobody else would start one.
  return child !== 'runs' && child.agoMs > againMs ? 'start' : 'wait'
}
