import { useEffect, useRef, useState } from 'react'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Takes files that are dropped anywhere on the page, and gives whether some are held over it. Also where nothing takes
 * them (`null`) a drop is no way out: the browser would leave the page for the file.
 */
export function useDrop(onFiles: ((files: readonly File[]) => void) | null): boolean {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const ending = new AbortController()
    const on = (kind: 'dragover' | 'dragleave' | 'drop', hear: (event: DragEvent) => void) =>
      document.addEventListener(kind, (event) => hasFiles(event) && hear(event), { signal: ending.signal })
    on('dragover', (event) => {
      event.preventDefault()
      setOver(take.current !== null)
    })
    // Within the page one element is left for another; out of it, for none.
    on('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    on('drop', (event) => {
      event.preventDefault()
      setOver(false)
      take.current?.([...(event.dataTransfer?.files ?? [])])
    })
    return () => ending.abort()
  }, [])
  return isOver
}
