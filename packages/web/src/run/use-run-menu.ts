import { addressOf } from '@farhand/client/resources/resources'
import type { Run } from '@farhand/protocol/schemas/api'
import type { ProjectRole } from '@farhand/protocol/wire/project-role'
import { useCallback, useMemo } from 'react'
import type { RunActions } from '../outbox/actions.ts'
import type { LiveRuns } from '../run-list/live-runs.ts'
import type { MenuEntry } from '../ui/menu.tsx'
import { toast } from '../ui/toasts.ts'
import type { RewindRequest } from './rewind/rewind-context.ts'

type Options = {
  runs: LiveRuns
  /** Null until the address of the run is known. */
  about: Run | null
  isArchived: boolean
  /** The user's role in the project; undefined: it is the user's own, or the hub is older. */
  role: ProjectRole | undefined
  onShare: () => void
  /** Whether it is closed, or has failed. */
  isOver: boolean
  act: RunActions['act']
  onClose: () => void
  onBack: (asked: RewindRequest) => void
}

/** The menu entries for a run, and the function that renames it. */
export function useRunMenu({
  runs,
  about,
  isArchived,
  role,
  isOver,
  act,
  onShare,
  onClose,
  onBack,
}: Options) {
  const onRename = useCallback(
    (title: string) => {
      if (!about) return toast('The address of this run is not known yet.', { tone: 'bad' })
      runs
        .rename(addressOf(about), title)
        .catch((error: Error) => toast(`It could not be renamed: ${error.message}`, { tone: 'bad' }))
    },
    [runs, about],
  )
  const entries = useMemo<MenuEntry[]>(() => {
    const put = async (to: boolean) => {
      try {
        await runs.archive(addressOf(about!), to)
        toast(to ? 'It is archived.' : 'It is no longer archived.', { undo: () => void put(!to) })
      } catch (error) {
        toast(`It could not be moved: ${(error as Error).message}`, { tone: 'bad' })
      }
    }
    const isDisabled = !about
    const back = (what: RewindRequest['do']) => () => onBack({ do: what, event: null })
    const archive: MenuEntry = {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: isArchived ? 'undo' : 'archive',
      isDisabled,
      onChoose: () => void put(!isArchived),
    }
    const share: MenuEntry = {
      label: role === 'viewer' || role === 'member' ? 'People' : 'Share',
      icon: 'eye',
      isDisabled,
      onChoose: onShare,
    }
    if (role === 'viewer') return [share, archive]
    return [
      share,
      archive,
      { label: 'Fork', icon: 'branch', isDisabled, onChoose: back('fork') },
      { label: 'Rewind', icon: 'undo', isDisabled: isDisabled || isOver, onChoose: back('rewind') },
      isOver
        ? { label: 'Reopen', icon: 'play', onChoose: () => act({ do: 'open' }) }
        : { label: 'Close the run', icon: 'close', isDanger: true, onChoose: onClose },
    ]
  }, [runs, about, isArchived, role, isOver, act, onShare, onClose, onBack])
  return { entries, onRename: role === 'viewer' ? null : onRename }
}
