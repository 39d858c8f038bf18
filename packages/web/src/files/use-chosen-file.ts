import { useSyncExternalStore } from 'react'
import { fileFragment, fileNamed } from './file-fragment.ts'

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
