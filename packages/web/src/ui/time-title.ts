import type { PointerEvent } from 'react'

/**
 * Tells whoever rests on something what time it was. Not before that: the first time that a browser puts a time into words
 * takes it as long as to draw several rows.
 */
export const timeTitle = (at: string) => ({
  onPointerEnter: ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = new Date(at).toLocaleString()
  },
})
