import type { ReactNode } from 'react'
import { useRoute } from '../navigation/location.ts'
import { pathOf } from '../navigation/route.ts'
import { fileFragment } from './use-chosen-file.ts'

/** A link to a file of the current run; plain text outside a run page. */
export function FileLink({ path, children }: { path: string; children: ReactNode }) {
  const route = useRoute()
  if (route.is !== 'run') return children
  const address = pathOf({ ...route, part: 'files', event: null }) + fileFragment(path)
  return (
    <a
      href={address}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        history.pushState(null, '', address)
        // Listeners for the back button also learn the new address this way.
        dispatchEvent(new PopStateEvent('popstate'))
      }}
    >
      {children}
    </a>
  )
}
