import type { Exit } from '../trouble/trouble.ts'

export type StartSeen = {
  answers: boolean
  /** The process that was started last: null before the first, or how it ended and how long ago. */
  child: null | 'runs' | { exit: Exit; agoMs: number }
  port: 'usual' | 'any'
  waitedMs: number
}

export type StartStep = 'done' | 'wait' | 'start' | 'start-on-any-port' | 'give-up' | 'too-long'

const mostMs = 30_000
const againMs = 500

/** The next step while the local hub is being started, perhaps by several processes at once. */
export function startStep({ answers, child, port, waitedMs }: StartSeen): StartStep {
  if (answers) return 'done'
  if (child === null) return 'start'
  if (child !== 'runs' && child.exit === 'portTaken' && port === 'usual') return 'start-on-any-port'
  const isOthers = child !== 'runs' && child.exit === 'alreadyRunning'
  if (child !== 'runs' && !isOthers) return 'give-up'
  if (waitedMs > mostMs) return 'too-long'
  // The other process's hub may have been about to stop: then no other process would start one.
  return child !== 'runs' && child.agoMs > againMs ? 'start' : 'wait'
}
