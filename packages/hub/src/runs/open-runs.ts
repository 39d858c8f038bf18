import type { RunId } from '@farhand/protocol/wire/ids'
import type { Logger } from 'pino'
import type { EventLog } from '../log/event-log.ts'
import { LogReaders } from '../log/follow.ts'
import type { Db } from '../store/tables.ts'
import { ActivityNotes } from './activity-notes.ts'
import { Closer } from './closer.ts'
import { RunBlobs } from './run-blobs.ts'
import { RunChanges } from './run-changes.ts'
import { RunDirectory } from './run-directory.ts'

type Parts = {
  db: Db
  log: EventLog
  logger: Logger
  config: { closeGraceMs: number; runnerAwayMs: number; runnerSilentMs: number }
  /** What the keeper of sandboxes hears and knows of runners. */
  keeper: Record<'runnerCame' | 'runnerLeft', (run: RunId) => void> & { has: (run: RunId) => boolean }
}

/** Starts what follows the logs of runs: their readers, what completes their closing, and what tells lists of changes. */
export function openRuns({ db, log, logger, config, keeper }: Parts, undo: (() => unknown)[]) {
  const readers: LogReaders = new LogReaders(log, {
    came: (run, { generation }) => {
      if (generation === null) return
      closer.runnerCame(run)
      keeper.runnerCame(run)
      runChanges.grown(run)
    },
    left: (run, { generation }) => {
      if (generation === null || readers.hasRunner(run, generation)) return
      closer.runnerLeft(run)
      keeper.runnerLeft(run)
      runChanges.grown(run)
    },
  })
  const closer = new Closer({
    db,
    log,
    readers,
    graceMs: config.closeGraceMs,
    awayMs: config.runnerAwayMs,
    givesSigns: (run) => keeper.has(run),
    onError: (err) => logger.error({ err }, 'closing a run failed'),
  })
  undo.push(() => closer.stop())
  const isHealthy = (run: RunId, generation: number) =>
    generation > 0 && readers.silentMs(run, generation) < config.runnerSilentMs
  const runChanges = new RunChanges({
    db,
    log,
    isHealthy,
    onError: (err) => logger.error({ err }, 'could not send a change to the lists of runs'),
  })
  undo.push(() => runChanges.stop())
  const activity = new ActivityNotes({
    db,
    log,
    onError: (err) => logger.warn({ err }, 'could not record when a run was last active'),
  })
  undo.push(() => activity.stop())
  // Runs in the background: the start does not depend on it.
  activity.lookBack().catch((err) => logger.error({ err }, 'could not check when runs were last active'))
  const [directory, runBlobs] = [new RunDirectory(db), new RunBlobs(log)]
  return { readers, closer, isHealthy, runChanges, activity, directory, runBlobs }
}
