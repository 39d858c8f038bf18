import { useState } from 'react'
import type { RunActions } from '../outbox/actions.ts'
import { Button } from '../ui/button.tsx'
import css from './composer.module.css'

/**
 * Stops the running turn, and says at once that it does. Where another stop button stands above, this one is
 * invisible but keeps its space: no other button may move under a finger that wants to stop the agent.
 */
export function StopButton({ act, isAbove }: { act: RunActions['act']; isAbove: boolean }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <Button
      as="danger"
      icon="stop"
      className={isAbove ? `${css.stop} ${css.above}` : css.stop}
      onClick={() => {
        // // A second click sends a second cancel, which does no harm.
        act({ do: 'cancel' })
        setAsked(true)
      }}
    >
      {isAsked ? 'Stopping…' : 'Stop'}
    </Button>
  )
}
