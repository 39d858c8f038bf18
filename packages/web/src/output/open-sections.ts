import { useState } from 'react'

/** Which sections the user opened or closed, by name. It survives scrolling an item out of the virtual list. */
export type OpenSections = Map<string, boolean>

/** Whether a section is open, and a function that toggles it; `byItself` is the default. */
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
