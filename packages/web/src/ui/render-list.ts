import { createElement, Fragment, type ReactNode } from 'react'

/** Renders a list without keys, for lists whose entries never change their order. */
export const renderList = <One>(
  list: readonly One[],
  draw: (one: One, nth: number) => ReactNode,
): ReactNode => createElement(Fragment, null, ...list.map(draw))
