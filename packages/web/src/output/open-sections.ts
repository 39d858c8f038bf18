import { useState } from 'react'

/** What the reader opened or shut, item by item. It outlives the item's leaving the screen. */
export type OpenSections = Map<string, boolean>

/** Whether something is open, and what turns it over; `byItself` as long as the reader has not said otherwise. */
export function useOpenSection(
  openSections: OpenSections,
  name: string,
  byItself: boolean,
): [boolean, () => void] {
  const [, draw] = useState(0)
  const isOpen = openSections.get(name) ?? byItself
  const turn = () => {
    openSections.set(name, !isOpen)
    draw((count) => count + 1)
  }
  return [isOpen, turn]
}
