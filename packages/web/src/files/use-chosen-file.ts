import { useSyncExternalStore } from 'react'

const start = '#file='

/** The URL fragment of the files page that shows this file. */
export const fileFragment = (path: string): string => start + encodeURIComponent(path)

/** The file that a fragment names, or null. */
function fileNamed(fragment: string): string | null {
  if (!fragment.startsWith(start)) return null
  try {
    return decodeURIComponent(fragment.slice(start.length)) || null
  } catch {
    // An incomplete escape sequence.
    return null
  }
}

/** The file that the address names, and a function that chooses another. The back button undoes a choice. */
export function useChosenFile(): [string | null, (path: string | null) => void] {
  const fragment = useSyncExternalStore(listen, () => location.hash)
  return [fileNamed(fragment), choose]
}

function choose(path: string | null): void {
  if (path !== null) location.hash = fileFragment(path)
  else if (location.hash !== '') {
    history.pushState(null, '', location.pathname)
    dispatchEvent(new PopStateEvent('popstate'))
  }
}

function listen(listener: () => void): () => void {
  addEventListener('popstate', listener)
  addEventListener('hashchange', listener)
  return () => {
    removeEventListener('popstate', listener)
    removeEventListener('hashchange', listener)
  }
}
