import { existsSync } from 'node:fs'
import type { BackgroundLinks } from './background-links.ts'
import type { LinkEnd } from './device-protocol.ts'

/** Why a folder is not kept in sync any more, by what is on disk; null if it should be. */
export function linkEnd(folder: string, kept: BackgroundLinks): LinkEnd | null {
  const wanted = kept.find(folder)
  switch (wanted?.is) {
    case 'live':
      return null
    case 'paused':
      return { is: 'paused' }
    case 'failed':
      return { is: 'failed', exit: 'failed', message: wanted.message, nextStep: wanted.nextStep }
    case undefined: {
      // Without its state folder nothing is known of any run.
      if (existsSync(kept.state.root)) return { is: 'run-closed' }
      const message = `${folder} is not linked on this computer any more.`
      return { is: 'failed', exit: 'failed', message, nextStep: 'Its files stay, and so does the run.' }
    }
  }
}
