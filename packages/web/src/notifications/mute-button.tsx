import type { Hub } from '@farhand/client/requests/hub'
import { muteRun } from '@farhand/client/resources/run-preferences'
import type { RunId } from '@farhand/protocol/wire/ids'
import { useEffect, useState } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { toast } from '../ui/toasts.ts'

type Props = { hub: Hub; run: RunId; isMuted: boolean }

/** Mutes the notifications of this run on all devices, or turns them on again. */
export function MuteButton({ hub, run, isMuted }: Props) {
  const [shown, setShown] = useState(isMuted)
  useEffect(() => setShown(isMuted), [isMuted])
  const change = () => {
    setShown(!shown)
    muteRun(hub, run, !shown).catch((error: unknown) => {
      setShown(shown)
      toast(`That did not reach the hub: ${(error as Error).message}`, { tone: 'bad' })
    })
  }
  return (
    <IconButton
      icon={shown ? 'bell-off' : 'bell'}
      label={shown ? 'Unmute this run' : 'Mute this run'}
      aria-pressed={shown}
      onClick={change}
    />
  )
}
