import type { AnchorHTMLAttributes } from 'react'
import { go } from './location.ts'
import { pathOf, type Route } from './route.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { to: Route }

/** A link inside the app: it can be opened in a new tab, and a plain click does not reload the page. */
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
