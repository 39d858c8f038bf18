import type { AnchorHTMLAttributes } from 'react'
import { go } from './location.ts'
import { pathOf, type Route } from './route.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: Route }

/** A link within the app: a real one, which a new tab can be opened from, that loads no page when just followed. */
export function Link({ to, onClick, children, ...rest }: Props) {
  return (
    <a
      {...rest}
      href={pathOf(to)}
      onClick={(event) => {
        onClick?.(event)
        const isPlain =
          event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
        if (event.defaultPrevented || !isPlain) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}
