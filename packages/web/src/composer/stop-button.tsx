import { type ComponentProps, useState } from 'react'
import { Button } from '../ui/button.tsx'

type Props = Pick<ComponentProps<typeof Button>, 'as' | 'isSmall' | 'className'> & { onStop: () => void }

/** Stops the running turn, and says at once that it does. Give it a `key` for each turn. */
export function StopButton({ onStop, ...look }: Props) {
  const [isAsked, setAsked] = useState(false)
  return (
    <Button
      {...look}
      icon="stop"
      onClick={() => {
        // A second click sends a second cancel, which does no harm.
        onStop()
        setAsked(true)
      }}
    >
      {isAsked ? 'Stopping…' : 'Stop'}
    </Button>
  )
}
