import type { Story } from '@farhand/story/items/story'
import { useCallback, useRef } from 'react'
import type { FilesSource } from '../../files/history/files-source.ts'
import { toast } from '../../ui/toasts.ts'
import type { RewindRequest } from './rewind-context.ts'

/**
 * Undoes a rewind at once if there is no newer message and no open turn; otherwise opens the dialog that says what
 * would change.
 */
export function useUndoRewind(
  story: Story,
  source: FilesSource | null,
  ask: (asked: RewindRequest) => void,
): (id: number, before: number) => void {
  const newest = useRef(story)
  newest.current = story
  return useCallback(
    (id, before) => {
      if (!source) return
      const { items, view, lastId } = newest.current
      const isSaidSince = items.some((item) => item.id > id && item.kind === 'message')
      if (isSaidSince || view.openTurns.length > 0) return ask({ do: 'rewind', event: before, isExact: true })
      import('./undo-rewind.ts').then(
        ({ undoRewind }) => undoRewind(source, before, lastId, true),
        () => toast('This part of the app could not be loaded.', { tone: 'bad' }),
      )
    },
    [source, ask],
  )
}
