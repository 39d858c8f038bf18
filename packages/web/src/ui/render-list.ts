import { createElement, Fragment, type ReactNode } from 'react'

/**
 * Draws each of a list whose members never change places: what comes to stand at the same place is the same thing, so
 * none needs a key.
 */
export const renderList = <One>(
  list: readonly One[],
  draw: (one: One, nth: number) => ReactNode,
): ReactNode => createElement(Fragment, null, ...list.map(draw))
