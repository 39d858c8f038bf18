import { setTimeout as pause } from 'node:timers/promises'
import { lockHolder } from '@farhand/sync/state/lock-state'
import type { BackgroundLinks } from './background-links.ts'
import { askDevice } from './call-device.ts'
import { deviceFolder } from './device-folder.ts'

const lookMs = 30
/** A link ends in well under a second; after this it is stuck. The device process ends a stuck one itself. */
const patienceMs = 6_000
const killedMs = 10_000

/**
 * Waits until the folder of a link that is not wanted any more is free. A process that does not react is killed, which loses
 * nothing, because its state is on disk: the caller has the device process started again if other folders need it.
 */
export async function stopBackgroundLink(folder: string, folders: BackgroundLinks): Promise<void> {
  const pid = folders.backgroundHolder(folder)
  if (pid === null) return
  const isDevice = pid === lockHolder(deviceFolder(folders.state.root))
  if (isDevice && (await askDevice(folders.state.root, { ask: 'settle', folder }, patienceMs))) return
  // A link process of an older version ends at the first signal; a device process that does not answer is stuck.
  for (const signal of isDevice ? (['SIGKILL'] as const) : (['SIGTERM', 'SIGKILL'] as const)) {
    // The lock records when its process began, so a reused process id is not mistaken for it.
    if (folders.holder(folder) !== pid) return
    try {
      process.kill(pid, signal)
    } catch {
      // It ended in between.
      return
    }
    const waitMs = signal === 'SIGKILL' ? killedMs : patienceMs
    for (const since = performance.now(); performance.now() - since < waitMs; await pause(lookMs))
      if (folders.holder(folder) !== pid) return
  }
}
