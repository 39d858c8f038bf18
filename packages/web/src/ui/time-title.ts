import type { PointerEvent } from 'react'

/**
 * A tooltip with the absolute time. It is made on hover, because a browser's first time formatting takes as long as
 * rendering several rows.
 */
export const timeTitle = (at: string) => ({
  onPointerEnter: ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = new Date(at).toLocaleString()
  },
})
