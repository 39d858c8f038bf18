import type { RunId } from '@farhand/protocol/wire/ids'
import type { Rooms } from './hub-parts.ts'

/** Whether the runner of this generation reads its orders and was heard of late (W23). */
export function isRunnerHealthy({ audiences, config }: Rooms, run: RunId, generation: number): boolean {
  return generation > 0 && audiences.silentMs(run, generation) < config.runnerSilentMs
}
