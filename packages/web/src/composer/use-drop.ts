import { useEffect, useRef, useState } from 'react'

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false

/**
 * Passes on files dropped anywhere on the page; returns whether files are being dragged over it. With null, dropped
 * files are ignored: by default the browser would leave the page and open the file.
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
    // Inside the page `relatedTarget` is the next element; when leaving the page it is null.
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
