import type { RunId } from '@farhand/protocol/wire/ids'
import type { HubParts } from './hub-parts.ts'

/** Whether the runner of this generation is connected and was heard recently (W23). */
export function isRunnerHealthy({ readers, config }: HubParts, run: RunId, generation: number): boolean {
  return generation > 0 && readers.silentMs(run, generation) < config.runnerSilentMs
}
