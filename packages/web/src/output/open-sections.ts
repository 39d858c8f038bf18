import { useState } from 'react'

/** Which sections the user opened or closed, by name. It survives scrolling an item out of the virtual list. */
export type OpenSections = Map<string, boolean>

/** What shows an item that can be opened. */
export type OpenProps<Item> = { item: Item; openSections: OpenSections }

/** Whether a section is open, and a function that toggles it; `isOpenByDefault` is the default. */
export function useOpenSection(
  openSections: OpenSections,
  name: string,
  isOpenByDefault: boolean,
): [boolean, () => void] {
  const [, draw] = useState(0)
  const isOpen = openSections.get(name) ?? isOpenByDefault
  const toggle = () => {
    openSections.set(name, !isOpen)
    draw((count) => count + 1)
  }
  return [isOpen, toggle]
}
