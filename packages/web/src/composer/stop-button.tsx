import { useState } from 'react'
import type { RunActions } from '../outbox/actions.ts'
import { Button } from '../ui/button.tsx'
import css from './composer.module.css'

/**
 * Stops the turn that is under way, and says at once that it does. It is there for as long as there is one. Where another
 * stands above its place stays empty: what is beside it must not come under a finger that was to stop the agent.
 */
export function StopButton({ act, isAbove }: { act: RunActions['act']; isAbove: boolean }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <Button
      as="danger"
      icon="stop"
      className={isAbove ? `${css.stop} ${css.above}` : css.stop}
      onClick={() => {
        // Asked twice it is said twice: that does no harm, and whoever waits wants to do something.
        act({ do: 'cancel' })
        setAsked(true)
      }}
    >
      {isAsked ? 'Stopping…' : 'Stop'}
    </Button>
  )
}
